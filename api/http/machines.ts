// What a handler may ask for beside the database: other machines, and the seal for secrets.
import type { Receiver } from '../../gateways/receiver.ts'
import type { Sealer } from '../../models/sealed.ts'

export interface Machines {
  receiver: Pick<Receiver, 'check'>
  sealer: Sealer
}
