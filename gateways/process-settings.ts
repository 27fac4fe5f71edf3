// Reads the settings of a process that starts; where some are invalid, it says so and the process ends.

/** Writes what `read` throws, the names of the invalid settings, to standard error, and ends the process with 2. */
export function settingsOfProcess<Settings>(read: () => Settings): Settings {
  try {
    return read()
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`)
    process.exit(2)
  }
}
