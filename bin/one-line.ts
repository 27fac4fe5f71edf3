// Text that callers have stored, as an operator's terminal prints it without harm: on one line, and with nothing that a terminal obeys.

/**
 * Control characters and line ends become escape sequences, such as `\n` and `\x1b`; and so does what turns the direction of
 * text, which would make a line look like another.
 */
export const onOneLine = (text: string): string =>
  text.replaceAll(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, (sign) => ESCAPES[sign] ?? escapeOf(sign))

const ESCAPES: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

function escapeOf(sign: string): string {
  const code = sign.charCodeAt(0).toString(16)
  return code.length > 2 ? `\\u${code}` : `\\x${code.padStart(2, '0')}`
}
