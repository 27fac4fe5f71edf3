// The mark of a Temporal namespace: the books that its workflows are of. A worker does not run workflows of other books.

/** What the books are known by: their installation, which a copy of them shares, and their database, which it does not. */
export interface BooksIdentity {
  installation: string
  /** The system identifier of the PostgreSQL server and the oid of the database: `7571…/16384`. A standby that is promoted keeps both. */
  database: string
}

export interface NamespaceMark extends BooksIdentity {
  /** New with each mark: the books have taken up the work of one that they know, and not that of a Temporal that has lost its data. */
  generation: string
}

/** The id of the Temporal Schedule that is the mark; it never runs. A suffix separates two installations in one namespace. */
export const markId = (suffix: string): string => (suffix === '' ? 'bahi-installation' : `bahi-installation-${suffix}`)

/** The mark as text: the id of the workflow that its schedule would start, which is stored in clear. */
export const markText = ({ installation, database, generation }: NamespaceMark): string =>
  `${PREFIX}${installation}/${database}/${generation}`

/** The mark of such a text; null for another text. */
export function markIn(text: string): NamespaceMark | null {
  const [installation, server, oid, generation, ...more] = text.startsWith(PREFIX)
    ? text.slice(PREFIX.length).split('/')
    : []
  if (!installation || !server || !oid || !generation || more.length > 0) return null
  return { installation, database: `${server}/${oid}`, generation }
}

const PREFIX = 'bahi-installation/'

/** Where a worker looks for the mark. */
export interface MarkedPlace {
  address: string
  namespace: string
  queueSuffix: string
}

/** Why a worker of these books must not serve a namespace with this mark, in one line; null where it may. */
export function unfitNamespace(
  own: BooksIdentity,
  mark: BooksIdentity,
  { address, namespace, queueSuffix }: MarkedPlace,
): string | null {
  if (own.installation === mark.installation && own.database === mark.database) return null
  const suffix = queueSuffix === '' ? '' : `, TEMPORAL_QUEUE_SUFFIX ${queueSuffix}`
  // The workflows of a copy have the ids of those of the original, with a suffix of the queues too.
  const [theirs, ours, elsewhere] =
    own.installation === mark.installation
      ? [`these books in another database (${mark.database})`, `this one is ${own.database}`, 'a namespace of its own']
      : [
          `other books (installation ${mark.installation})`,
          `these are of installation ${own.installation}`,
          'a namespace or a TEMPORAL_QUEUE_SUFFIX of its own',
        ]
  return (
    `Temporal at ${address} (namespace ${namespace}${suffix}) serves ${theirs}, ${ours}: its workflows would run on the wrong books. ` +
    'If this database has taken the place of that one, after a restore or a move: npm run after-restore -- --take-namespace. ' +
    `Otherwise give this service ${elsewhere}; ` +
    "where TEMPORAL_ADDRESS was exported for Temporal's CLI: unset TEMPORAL_ADDRESS"
  )
}
