// Finds an account that PostgreSQL runs as, because it refuses to run as root.
import { execFile, execFileSync } from 'node:child_process'
import { chownSync, existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** How programs are run as a user that PostgreSQL accepts, and how a path is given to that user. */
export interface Account {
  wrap(program: string, args: string[]): { command: string; args: string[] }
  prepare(path: string): void
}

const CURRENT_USER: Account = { wrap: (command, args) => ({ command, args }), prepare: () => undefined }

// PostgreSQL refuses to run as root. In a user namespace root appears as an ordinary user, while root still owns the
// files. So it also works below a folder that only root can enter, which another user could not.
const NAMESPACE: Account = {
  wrap: (program, args) => ({
    command: 'unshare',
    args: ['--user', '--map-user=1000', '--map-group=1000', program, ...args],
  }),
  prepare: () => undefined,
}

function otherUser(uid: number, gid: number): Account {
  return {
    wrap: (program, args) => ({
      command: 'setpriv',
      args: [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', program, ...args],
    }),
    prepare: (path) => chownSync(path, uid, gid),
  }
}

/** The account to run PostgreSQL as. Throws an Error with the remedy if there is none. */
export async function chooseAccount(postgres: string, dataDir: string): Promise<Account> {
  if (process.getuid?.() !== 0) return CURRENT_USER
  const problems: string[] = []
  // A data folder that another user owns is used as that user.
  const owner = existsSync(dataDir) ? statSync(dataDir) : null
  if (!owner || owner.uid === 0) {
    const refusal = await refusalOf(NAMESPACE, postgres, dataDir)
    if (!refusal) return NAMESPACE
    problems.push(`in a user namespace (unshare --user): ${refusal}`)
  }
  try {
    const account = owner && owner.uid !== 0 ? otherUser(owner.uid, owner.gid) : postgresUser()
    const refusal = await refusalOf(account, postgres, dataDir)
    if (!refusal) return account
    problems.push(`as the user postgres: ${refusal}`)
  } catch (error) {
    problems.push(`as the user postgres: ${(error as Error).message.trim()}`)
  }
  throw new Error(
    `PostgreSQL does not run as root, and neither way around it works here:\n  ${problems.join('\n  ')}\n` +
      '  Remedy: run as an ordinary user, or set DATABASE_URL to a PostgreSQL of your own.',
  )
}

async function refusalOf(account: Account, postgres: string, dataDir: string): Promise<string | null> {
  const folder = dirname(dataDir)
  const entering = account.wrap('test', ['-x', folder])
  const serving = account.wrap(postgres, ['--version'])
  try {
    await run(serving.command, serving.args)
    await run(entering.command, entering.args)
    return null
  } catch (error) {
    const { stderr, message, cmd } = error as Error & { stderr?: string; cmd?: string }
    return stderr?.trim() || (cmd?.includes(' test -x ') ? `it may not enter ${folder}` : message)
  }
}

function postgresUser(): Account {
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8', stdio: 'pipe' }))
  try {
    idOf('-u')
  } catch {
    execFileSync('useradd', ['--system', '--user-group', '--no-create-home', 'postgres'], { stdio: 'pipe' })
  }
  return otherUser(idOf('-u'), idOf('-g'))
}
