// Opens what handlers use besides the database, by the settings.
import type { Logger } from 'pino'
import { createMailLinks } from '../commands/people/mail-links.ts'
import { fault } from '../domain/faults.ts'
import { openBlobStore } from '../gateways/storage/azure-blobs.ts'
import { type BlobStore, StorageUnavailable } from '../gateways/storage/blobs.ts'
import { createWebhookSender } from '../gateways/webhook/sender.ts'
import { sealer } from '../models/sealed.ts'
import { mailOf, type Settings, originOf, storageOf, temporalOf, tickPlanOf } from '../settings.ts'
import { engineOnDemand, type EngineOnDemand } from './engine.ts'
import { siteOf } from './http/cookies.ts'
import { createNamespaceCheck } from './own-namespace.ts'
import { createFileCache } from './http/file-cache.ts'
import { createCursors } from './http/cursors.ts'
import type { Gateways } from './http/gateways.ts'
import { createSignIns } from './http/sign-ins.ts'
import type { Connection } from '../models/connection.ts'

/** Nothing is connected before it is used; the engine is closed with the API. */
export function openGateways(
  settings: Settings,
  connection: Connection,
  clock: () => Date,
  log: Logger,
): Gateways & { engine: EngineOnDemand } {
  return {
    engine: engineOnDemand(
      { ...temporalOf(settings), bulkWaitMs: settings.bulkWaitSeconds * 1000 },
      createNamespaceCheck(connection, temporalOf(settings), log),
    ),
    sealer: sealer(settings.encryptionKey),
    cursors: createCursors(settings.encryptionKey),
    sender: createWebhookSender({
      timeoutSeconds: settings.webhookTimeoutSeconds,
      allowCidrs: settings.webhookAllowCidrs,
      allowHttp: settings.webhookAllowHttp,
      dnsServers: settings.webhookDnsServers,
    }),
    tick: tickPlanOf(settings),
    mail: mailOf(settings),
    attachmentLimits: {
      maxBytes: settings.maxUploadBytes,
      files: settings.maxAttachments,
      bytes: settings.maxAttachmentBytes,
    },
    signIns: createSignIns(connection, clock),
    links: createMailLinks(settings.encryptionKey),
    site: siteOf(originOf(settings)),
    blobs: readForCallers(openBlobStore(storageOf(settings))),
    files: createFileCache((settings.rowMemoryMb / 2) * 2 ** 20),
  }
}

/** A store that callers read from: they are told that it is unavailable. */
function readForCallers(store: BlobStore): BlobStore {
  const telling = async <T>(reading: Promise<T>): Promise<T> => {
    try {
      return await reading
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) throw error
      const message = 'The store of files is unavailable; try again.'
      throw fault('service.unavailable', { message, retryAfter: 5, cause: error })
    }
  }
  return {
    ...store,
    read: (key) => telling(store.read(key)),
    presign: (key, about) => telling(store.presign(key, about)),
  }
}
