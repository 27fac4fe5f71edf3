// `npm run codec`: the codec server, which decrypts workflow histories for Temporal's UI and CLI.
import { openCodecServer } from '../gateways/temporal/codec-server.ts'
import { createPayloadCodec, keyIdsOf } from '../gateways/temporal/payload-codec.ts'
import { readCodecSettings } from './services/codec-settings.ts'

const { encryptionKey, codecHost: host, codecPort, codecOrigins: origins } = readCodecSettings()
const codec = createPayloadCodec(encryptionKey)
const { port } = await openCodecServer({ host, port: codecPort, codec, origins })
console.log(`The codec server listens on http://${host}:${port} for pages of ${origins.join(', ') || 'no origin'},`)
console.log(`and decrypts what was encrypted with the keys ${keyIdsOf(encryptionKey).join(', ')}. Ctrl-C stops it.`)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(0))
