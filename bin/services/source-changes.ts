// Watches the source for changes, and decides which parts of the service they concern.
import { type FSWatcher, readdirSync, statSync, watch } from 'node:fs'
import { join, relative } from 'node:path'

// Neither the API nor the worker reads these.
const NOT_RUN = new Set(['bench', 'bin', 'client', 'console', 'coverage', 'docs', 'node_modules', 'test'])
const SOURCE = /(^|\/)[^./][^/]*\.(ts|sql)$/
// How long to wait for further changes: an editor writes a file in several steps, and a checkout writes many files.
const SETTLED_MS = 150

/**
 * Calls `onChange` with the paths of the changed files, relative to `root`, SETTLED_MS after the last change. Each folder is
 * watched separately, because a recursive watch loses files that an editor replaces. Only files that `source` matches count.
 */
export function watchSource(root: string, onChange: (paths: string[]) => void, source = SOURCE): { close(): void } {
  const watched = new Map<string, { identity: string; watcher: FSWatcher }>()
  const changed = new Set<string>()
  let settled: NodeJS.Timeout | undefined
  const settle = () => {
    watchFolders()
    const paths = [...changed].filter((path) => source.test(path))
    changed.clear()
    if (paths.length > 0) onChange(paths)
  }
  const watchFolders = () => {
    const folders = new Map(foldersOf(root).map((folder) => [folder, identityOf(folder)]))
    // A checkout may have replaced a folder with another of the same name.
    for (const [folder, { identity, watcher }] of watched) {
      if (folders.get(folder) === identity) continue
      watcher.close()
      watched.delete(folder)
    }
    for (const [folder, identity] of folders) {
      if (identity === null || watched.has(folder)) continue
      const watcher = watch(folder, (_event, name) => {
        changed.add(relative(root, join(folder, name ?? '')))
        clearTimeout(settled)
        settled = setTimeout(settle, SETTLED_MS)
      })
      watched.set(folder, { identity, watcher })
    }
  }
  watchFolders()
  return {
    close() {
      clearTimeout(settled)
      for (const { watcher } of watched.values()) watcher.close()
    },
  }
}

function foldersOf(root: string): string[] {
  const rooms = readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && !NOT_RUN.has(entry.name))
    .map(({ name }) => join(root, name))
  const within = rooms.flatMap((room) =>
    readdirSync(room, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name)),
  )
  return [root, ...rooms, ...within]
}

// The inode alone is not enough, because inodes are reused.
function identityOf(folder: string): string | null {
  const stats = statSync(folder, { throwIfNoEntry: false })
  return stats ? `${stats.ino}-${stats.birthtimeMs}` : null
}

/** Whether the part of this name must restart: only the API runs `api`; only the worker runs `activities`, `worker` and `workflows`. */
export function concerns(name: string, path: string): boolean {
  if (path.startsWith('api/')) return name === 'API'
  if (/^(activities|worker|workflows)\//.test(path)) return name === 'Worker'
  return true
}
