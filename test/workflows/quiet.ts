// What the tests provoke, Temporal warns of; only its errors are of interest here.
import { DefaultLogger, Runtime } from '@temporalio/worker'

Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] })
