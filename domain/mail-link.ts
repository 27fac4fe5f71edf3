// The links in mails that let people in: which there are, and for how long each works.

const LINK_KINDS = ['PASSWORD_RESET', 'INVITATION'] as const
/** What a mail is about whose link sets a password; `emails.entity_type`. */
export type LinkKind = (typeof LINK_KINDS)[number]

const MINUTE_MS = 60_000
/** How long the link of each works (decisions §12). */
export const LINK_MS: Readonly<Record<LinkKind, number>> = {
  PASSWORD_RESET: 30 * MINUTE_MS,
  INVITATION: 7 * 24 * 60 * MINUTE_MS,
}

/** Stands in the text of a mail for the secret of its link, which is put in when the mail is sent, and is stored nowhere. */
export const LINK_TOKEN = '{token}'

export const isLinkKind = (text: string): text is LinkKind => (LINK_KINDS as readonly string[]).includes(text)
