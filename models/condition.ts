// Conditions on the rows of a list. Sequelize's operators are used here, and not outside models/.
import { literal, Op, where, type WhereOptions } from 'sequelize'
import { isId } from '../domain/ids.ts'

const reach = Symbol('reach')

/** What models/page.ts has to know of a condition to read a page quickly. */
interface Reach {
  /** The columns that it limits to a range. */
  ranges: string[]
  /** True for a condition by an id: few rows meet it, and an index has them in the order of the list. */
  narrow: boolean
}

/** A condition on the rows of a list. Only models/ makes one. */
export type Condition = WhereOptions & { readonly [reach]: Reach }

/** Makes a condition from Sequelize's options; for models/ only. */
export function condition(options: WhereOptions, { ranges = [], narrow = false }: Partial<Reach> = {}): Condition {
  return Object.assign(options, { [reach]: { ranges, narrow } }) as Condition
}

export const reachOf = (one: Condition): Reach => one[reach]

/** A condition in SQL, where Sequelize cannot express it; in parentheses, so that an OR in it ends there. */
export const inSql = (sql: string) => condition(literal(`(${sql})`) as unknown as WhereOptions)

/** As inSql, for a condition that few rows meet, which are found and sorted sooner than the list is walked. */
export const fewInSql = (sql: string) => condition(literal(`(${sql})`) as unknown as WhereOptions, { narrow: true })

/** Every row. */
export const everything = condition({})

/** No row. */
export const nothing = inSql('false')

/** The rows that meet all of these. */
export const allOf = (conditions: Condition[]): Condition =>
  condition(
    { [Op.and]: conditions },
    {
      ranges: conditions.flatMap((one) => reachOf(one).ranges),
      narrow: conditions.some((one) => reachOf(one).narrow),
    },
  )

/** The rows that do not meet it. */
export const not = (refused: Condition): Condition => condition({ [Op.not]: refused })

/** The column is exactly this. */
export const equalTo = (column: string, value: unknown): Condition => condition({ [column]: value } as WhereOptions)

/** The column is this id; text that is not an id matches no row. */
export const hasId = (column: string, id: string): Condition =>
  isId(id) ? condition({ [column]: id } as WhereOptions, { narrow: true }) : nothing

/** The column is this value or a later one. */
export const from = (column: string, value: unknown): Condition =>
  condition({ [column]: { [Op.gte]: value } } as WhereOptions, { ranges: [column] })

/** The column is this value or an earlier one. */
export const to = (column: string, value: unknown): Condition =>
  condition({ [column]: { [Op.lte]: value } } as WhereOptions, { ranges: [column] })

/** The array `tags` has this id; text that is not an id matches no row. Needs an index on the tags of the rows that have any. */
export const hasTag = (id: string): Condition =>
  isId(id) ? condition({ tags: { [Op.and]: [{ [Op.ne]: [] }, { [Op.contains]: [id.toLowerCase()] }] } }) : nothing

/** A case-insensitive substring of an indexed expression; `%`, `_` and `\\` in the text mean themselves. */
export function contains(expression: string, text: string): Condition {
  if (text === '') return everything
  const pattern = `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`
  // ILIKE lets PostgreSQL convert the text to lower case: JavaScript's result differs for a few letters (İ, ẞ, Σ).
  return condition(where(literal(expression), { [Op.iLike]: pattern }))
}
