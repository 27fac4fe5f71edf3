// Conditions: what is asked of the rows of a list, said once here in Sequelize's terms.
import { literal, Op, where, type WhereOptions } from 'sequelize'
import { isId } from '../domain/ids.ts'

const reach = Symbol('reach')

/** Which rows a condition leaves: what models/page.ts has to know of it. */
interface Reach {
  /** The columns that it bounds by a range. */
  ranges: string[]
  /** True where an id leads to the rows: there are few of them, and an index has them in the order of the list. */
  narrow: boolean
}

/** What rows are asked for. Nobody else writes one: Sequelize's operators stay in this folder. */
export type Condition = WhereOptions & { readonly [reach]: Reach }

/** For the models' own conditions. */
export function condition(options: WhereOptions, { ranges = [], narrow = false }: Partial<Reach> = {}): Condition {
  return Object.assign(options, { [reach]: { ranges, narrow } }) as Condition
}

export const reachOf = (one: Condition): Reach => one[reach]

/** A condition that Sequelize has no words for; in parentheses, so that an OR in it ends there. */
export const inSql = (sql: string) => condition(literal(`(${sql})`) as unknown as WhereOptions)

/** Every row. */
export const everything = condition({})

/** No row. */
export const nothing = inSql('false')

/** The rows that meet all of these. */
export const allOf = (conditions: Condition[]): Condition => condition({ [Op.and]: conditions }, {
  ranges: conditions.flatMap((one) => reachOf(one).ranges),
  narrow: conditions.some((one) => reachOf(one).narrow),
})

/** The rows that do not meet it. */
export const not = (refused: Condition): Condition => condition({ [Op.not]: refused })

/** The column is exactly this. */
export const equalTo = (column: string, value: unknown): Condition => condition({ [column]: value } as WhereOptions)

/** The column is this id; text that can be no id finds nothing. */
export const hasId = (column: string, id: string): Condition => (
  isId(id) ? condition({ [column]: id } as WhereOptions, { narrow: true }) : nothing
)

/** The column is this value or a later one. */
export const from = (column: string, value: unknown): Condition => (
  condition({ [column]: { [Op.gte]: value } } as WhereOptions, { ranges: [column] })
)

/** The column is this value or an earlier one. */
export const to = (column: string, value: unknown): Condition => (
  condition({ [column]: { [Op.lte]: value } } as WhereOptions, { ranges: [column] })
)

/** The array `tags` has this id; text that can be no id finds nothing. Needs an index on the tags of the rows that have any. */
export const hasTag = (id: string): Condition => (
  isId(id) ? condition({ tags: { [Op.and]: [{ [Op.ne]: [] }, { [Op.contains]: [id.toLowerCase()] }] } }) : nothing
)

/** A case-insensitive substring of an indexed expression; `%`, `_` and `\\` in the text mean themselves. */
export function contains(expression: string, text: string): Condition {
  if (text === '') return everything
  const pattern = `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`
  // PostgreSQL itself makes small letters of the text: JavaScript's differ from its own for a few (İ, ẞ, Σ).
  return condition(where(literal(expression), { [Op.iLike]: pattern }))
}
