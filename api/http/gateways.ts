// What a handler may ask for beside the database: other machines, the seal for secrets, and the signature of cursors.
import type { Engine } from '../../gateways/temporal/engine.ts'
import type { Receiver } from '../../gateways/webhook/receiver.ts'
import type { Sealer } from '../../models/sealed.ts'
import type { Cursors } from './cursors.ts'

export interface Gateways {
  engine: Pick<Engine, 'convert'>
  receiver: Pick<Receiver, 'check'>
  sealer: Sealer
  cursors: Cursors
}
