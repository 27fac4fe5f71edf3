// The machines beside the database that a handler may ask for.
import type { Receiver } from '../../gateways/receiver.ts'

export interface Machines {
  receiver: Pick<Receiver, 'check'>
}
