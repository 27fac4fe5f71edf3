// Type declaration for the function by which the driver turns values into what it sends; @types/pg has none.
declare module 'pg/lib/utils.js' {
  const utils: { prepareValue(value: unknown): string | Buffer | null }
  export default utils
}
