// The Content-Disposition header of a file: whether a browser shows or saves it, and under which name.

/** A header value by RFC 6266: the name in ASCII for old clients, and whole in UTF-8. */
export function contentDisposition(disposition: 'attachment' | 'inline', filename: string): string {
  const ascii = filename
    .normalize('NFKD')
    .replaceAll(/[^\x20-\x7e]/g, '_')
    .replaceAll(/["\\%]/g, '_')
  return `${disposition}; filename="${ascii}"; filename*=UTF-8''${encoded(filename.toWellFormed())}`
}

// encodeURIComponent leaves a few characters that the header's grammar does not allow.
const encoded = (text: string) =>
  encodeURIComponent(text).replaceAll(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
