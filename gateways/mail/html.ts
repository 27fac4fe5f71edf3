// Makes the two parts of a mail from the HTML that a caller sent: safe HTML, and its text.
import { convert } from 'html-to-text'
import sanitizeHtml from 'sanitize-html'

const LENGTH = /^-?\d{1,4}(\.\d{1,3})?(px|pt|em|rem|%)?$/
const LENGTHS = /^(-?\d{1,4}(\.\d{1,3})?(px|pt|em|rem|%)?|auto)( (-?\d{1,4}(\.\d{1,3})?(px|pt|em|rem|%)?|auto)){0,3}$/
const COLOR = /^(#[0-9a-f]{3,8}|[a-z]{3,25}|rgba?\([\d.,% ]{1,40}\))$/i
const WORDS = /^[a-z0-9 -]{1,40}$/i
const BORDER = /^[a-z0-9#., ()-]{1,60}$/i

// Nothing that loads, covers the page, or reaches outside of its own box.
const STYLES = {
  color: [COLOR],
  'background-color': [COLOR],
  'font-family': [/^[\p{L}\d ,'"-]{1,100}$/u],
  'font-size': [LENGTH, WORDS],
  'font-style': [WORDS],
  'font-weight': [WORDS],
  'line-height': [LENGTH, WORDS],
  'text-align': [WORDS],
  'text-decoration': [WORDS],
  'vertical-align': [LENGTH, WORDS],
  'white-space': [WORDS],
  border: [BORDER],
  'border-top': [BORDER],
  'border-bottom': [BORDER],
  'border-collapse': [WORDS],
  'border-radius': [LENGTHS],
  margin: [LENGTHS],
  'margin-top': [LENGTH],
  'margin-bottom': [LENGTH],
  padding: [LENGTHS],
  width: [LENGTH, WORDS],
  'max-width': [LENGTH],
  height: [LENGTH, WORDS],
}

const RULES: sanitizeHtml.IOptions = {
  allowedTags: [...sanitizeHtml.defaults.allowedTags.filter((tag) => tag !== 'main'), 'img', 'center', 'font'],
  allowedAttributes: {
    '*': ['style', 'align', 'valign', 'dir', 'lang', 'title'],
    a: ['href', 'name'],
    font: ['color', 'face', 'size'],
    img: ['src', 'alt', 'width', 'height'],
    table: ['width', 'border', 'cellpadding', 'cellspacing', 'bgcolor'],
    td: ['width', 'colspan', 'rowspan', 'bgcolor'],
    th: ['width', 'colspan', 'rowspan', 'bgcolor'],
    tr: ['bgcolor'],
    ol: ['start', 'type'],
  },
  allowedSchemes: ['http', 'https', 'mailto', 'tel'],
  allowedSchemesByTag: { img: ['https'] },
  allowProtocolRelative: false,
  allowedStyles: { '*': STYLES },
  disallowedTagsMode: 'discard',
  nestingLimit: 40,
}

const AS_TEXT = {
  wordwrap: 100,
  limits: { maxInputLength: 200_000, maxDepth: 60, ellipsis: '...' },
  selectors: [
    { selector: 'img', format: 'skip' },
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true, ignoreHref: false } },
    { selector: 'table', format: 'dataTable' },
  ],
}

/**
 * The HTML without scripts, forms, frames, style sheets and styles that reach beyond their box, in one document; and the same as
 * plain text. What is left of a text without any content is `otherwise` in both.
 */
export function mailBody(given: string, otherwise: string): { html: string; text: string } {
  const html = sanitizeHtml(given, RULES).trim()
  const text = plainText(html)
  const hasContent = text !== '' || /<img\b/.test(html)
  return hasContent
    ? { html: inDocument(html), text: text === '' ? otherwise : text }
    : { html: inDocument(`<p>${escapedText(otherwise)}</p>`), text: otherwise }
}

function plainText(html: string): string {
  return convert(html, AS_TEXT).trim()
}

const inDocument = (body: string) =>
  `<!doctype html><html><head><meta charset="utf-8"></head><body>${body}</body></html>`

const escapedText = (text: string) => text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`)
