// What `npm start` runs: the whole service on this computer; a part that ends is started again.
import { readLocalRun } from '../settings.ts'
import { runLocally } from './services/local-run.ts'
import { keepAlive } from './services/keep-alive.ts'

await runLocally(readLocalRun(), keepAlive)
