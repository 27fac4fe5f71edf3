// What a handler may ask for beside the database: other machines, and the seal for secrets.
import type { Engine } from '../../gateways/engine.ts'
import type { Receiver } from '../../gateways/receiver.ts'
import type { Sealer } from '../../models/sealed.ts'

export interface Machines {
  engine: Pick<Engine, 'convert'>
  receiver: Pick<Receiver, 'check'>
  sealer: Sealer
}
