// Where the project is, for tests that start its programs or read its files.
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../', import.meta.url))
