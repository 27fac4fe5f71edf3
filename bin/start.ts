// What `npm start` runs: the whole service on this machine, every part of it kept alive.
import { readLocalRun } from '../settings.ts'
import { runLocally } from './machines/local-run.ts'
import { keepAlive } from './machines/part.ts'

await runLocally(readLocalRun(), keepAlive)
