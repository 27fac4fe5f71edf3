// Checks mails: each that was sent is in the activity of its document once, and none is being sent for long.
import type { AuditQuery } from './documents.ts'

export const MAILS: AuditQuery[] = [
  {
    name: 'audit mails in the activity log',
    text: `SELECT format('mail %s of %s is %s, but the activity of its %s has %s entries of it', e.id, e.org_id, e.state, e.entity_type, count(a.id)) AS wrong
           FROM emails AS e
           LEFT JOIN activity AS a ON a.org_id = e.org_id AND a.entity_type = e.entity_type AND a.entity_id = e.entity_id
             AND a.action = CASE e.purpose WHEN 'REMINDER' THEN 'REMINDER_SENT' ELSE 'EMAIL_SENT' END AND a.metadata ->> 'email_id' = e.id::text
           WHERE e.purpose <> 'NOTICE'
           GROUP BY e.org_id, e.id HAVING count(a.id) <> CASE e.state WHEN 'SENT' THEN 1 ELSE 0 END`,
  },
  {
    name: 'audit recipients of mails',
    text: `SELECT format('mail %s of %s has %s recipients', e.id, e.org_id, count(r.place)) AS wrong
           FROM emails AS e LEFT JOIN email_recipients AS r ON r.org_id = e.org_id AND r.email_id = e.id
           WHERE e.refusal IS DISTINCT FROM 'NO_ADDRESS'
           GROUP BY e.org_id, e.id HAVING count(r.place) NOT BETWEEN 1 AND 50 OR count(r.place) FILTER (WHERE r.kind = 'TO') = 0`,
  },
  {
    name: 'audit mails that are being sent',
    text: `SELECT format('mail %s of %s is being sent since %s', id, org_id, last_modified_time) AS wrong
           FROM emails WHERE state = 'SENDING' AND last_modified_time < now() - interval '1 hour'`,
  },
]
