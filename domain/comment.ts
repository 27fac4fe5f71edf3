// Comments: how long they may be, and whom they mention.

/** Specification, "Limits": of a comment, in characters as a person counts them. */
export const COMMENT_CHARACTERS = 5_000
/** In code points: an emoji of a family is one character of seven. */
export const COMMENT_CODE_POINTS = 10 * COMMENT_CHARACTERS

/** The most comments of one document, so that what goes with it at its deletion is bounded. */
export const COMMENTS_OF_ONE = 1_000
/** The most people whom one comment mentions. */
const MENTIONS_OF_ONE = 10

const characters = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Whether the text has more characters than a comment may have. */
export function isTooLong(text: string): boolean {
  if (text.length <= COMMENT_CHARACTERS) return false
  let count = 0
  for (const _ of characters.segment(text)) if ((count += 1) > COMMENT_CHARACTERS) return true
  return false
}

const MENTION = /@([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?![0-9a-f-])/gi

/** The ids of the users whom a comment mentions, `@` and the id, each once; the first few of very many. */
export function mentionedIn(body: string): string[] {
  const found = body.matchAll(MENTION)
  return [...new Set([...found].map(([, id]) => id!.toLowerCase()))].slice(0, MENTIONS_OF_ONE)
}

/** The text of a comment for people: `@` and the name in place of the id of each user of `names`. */
export const withNames = (body: string, names: ReadonlyMap<string, string>): string =>
  body.replaceAll(MENTION, (mention, id: string) => `@${names.get(id.toLowerCase()) ?? mention.slice(1)}`)
