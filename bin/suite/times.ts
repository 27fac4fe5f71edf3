// The time of a test run by folder, with the slowest files of each.
import { relative } from 'node:path'

/** The part of Jest's `--json` output that is read here. */
export interface SuiteOutcome {
  testResults: {
    /** The absolute path of the file. */
    name: string
    /** Both times are in milliseconds since 1970. */
    startTime: number
    endTime: number
    assertionResults: unknown[]
  }[]
}

const NAMED = 3
/** A file that took less is not listed. */
const SLOW_SECONDS = 5

/**
 * The lines of a table with the files, tests and seconds of every folder of `root`/test, the longest first. Files run in
 * parallel, so the sum of the folders exceeds the `seconds` of the whole run.
 */
export function timesByFolder({ testResults }: SuiteOutcome, root: string, seconds: number): string[] {
  const files = testResults.map(({ name, startTime, endTime, assertionResults }) => {
    // A file directly in test counts with the folder of its name: test/house.test.ts with test/house.
    const [, folder = '', file = folder] = relative(root, name)
      .replace(/\.test\.ts$/, '')
      .split('/')
    return {
      folder: `test/${folder}`,
      file,
      tests: assertionResults.length,
      seconds: Math.max(0, endTime - startTime) / 1000,
    }
  })
  const folders = [...Map.groupBy(files, ({ folder }) => folder)].map(([folder, members]) => ({
    name: folder,
    files: members.length,
    ...sumOf(members),
    slowest: members
      .filter((file) => file.seconds >= SLOW_SECONDS)
      .toSorted((one, other) => other.seconds - one.seconds)
      .slice(0, NAMED),
  }))
  return [
    '',
    line('Time by folder', 'files', 'tests', 'seconds', 'slowest files'),
    ...folders
      .toSorted((one, other) => other.seconds - one.seconds)
      .map(({ name, files, tests, seconds, slowest }) =>
        line(
          name,
          String(files),
          String(tests),
          seconds.toFixed(1),
          slowest.map((file) => `${file.file} ${file.seconds.toFixed(1)}`).join(', '),
        ),
      ),
    line(
      'in all',
      String(files.length),
      String(sumOf(files).tests),
      sumOf(files).seconds.toFixed(1),
      `side by side in ${seconds.toFixed(1)}`,
    ),
  ]
}

function sumOf(files: { tests: number; seconds: number }[]): { tests: number; seconds: number } {
  return files.reduce((sum, file) => ({ tests: sum.tests + file.tests, seconds: sum.seconds + file.seconds }), {
    tests: 0,
    seconds: 0,
  })
}

function line(name: string, files: string, tests: string, seconds: string, slowest: string): string {
  return `${name.padEnd(18)}${files.padStart(6)}${tests.padStart(7)}${seconds.padStart(9)}  ${slowest}`.trimEnd()
}
