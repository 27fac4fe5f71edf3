// The settings of the codec server.
import { Type, type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import { invalid, listOf, Settings } from '../../settings.ts'

const Codec = Type.Object({
  encryptionKey: Settings.properties.encryptionKey,
  codecHost: Type.String({ minLength: 1 }),
  codecPort: Type.Integer({ minimum: 0, maximum: 65535 }),
  codecOrigins: Type.Array(Type.String({ pattern: '^https?://[^/]+$' })),
})
const checkedCodec = Compile(Codec)

/** The settings of the codec server. Throws an Error that names every invalid variable. */
export function readCodecSettings(env: NodeJS.ProcessEnv = process.env): Static<typeof Codec> {
  const settings = {
    encryptionKey: listOf(env.ENCRYPTION_KEY).join(),
    codecHost: env.CODEC_HOST || '127.0.0.1',
    codecPort: env.CODEC_PORT ? Number(env.CODEC_PORT) : 8234,
    codecOrigins: listOf(env.CODEC_ORIGINS || 'http://127.0.0.1:8233,http://localhost:8233'),
  }
  if (checkedCodec.Check(settings)) return settings
  throw invalid(checkedCodec.Errors(settings))
}
