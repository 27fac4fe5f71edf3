// The operator's command that registers our search attributes on a Temporal server that is not the local run's.
import { readSettings } from '../settings.ts'
import { registerSearchAttributes } from './machines/search-attributes.ts'

const settings = readSettings()
const added = await registerSearchAttributes(settings.temporalAddress, settings.temporalNamespace)
console.log(added.length > 0 ? `Registered: ${added.join(', ')}` : 'All search attributes are registered already.')
