// Checks attachments: the usage that is counted, and files that the sweep has not found.
import type { AuditQuery } from '../documents.ts'

export const ATTACHMENTS: AuditQuery[] = [
  {
    name: 'audit usage of attachments',
    text: `SELECT format('%s has %s attachments of %s bytes; counted are %s of %s', coalesce(u.org_id, a.org_id), coalesce(a.files, 0), coalesce(a.bytes, 0),
             coalesce(u.files, 0), coalesce(u.bytes, 0)) AS wrong
           FROM attachment_usage AS u
           FULL JOIN (SELECT org_id, count(*) AS files, sum(size_bytes) AS bytes FROM attachments GROUP BY org_id) AS a ON a.org_id = u.org_id
           WHERE coalesce(u.files, 0) <> coalesce(a.files, 0) OR coalesce(u.bytes, 0) <> coalesce(a.bytes, 0)`,
  },
  {
    name: 'audit missing attachments',
    text: `SELECT format('the file of attachment %s of %s is missing since %s', id, org_id, missing_since) AS wrong
           FROM attachments WHERE missing_since IS NOT NULL`,
  },
]
