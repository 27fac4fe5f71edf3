// Opens what handlers use besides the database, by the settings.
import { openBlobStore } from '../gateways/storage/azure-blobs.ts'
import { createWebhookSender } from '../gateways/webhook/sender.ts'
import { sealer } from '../models/sealed.ts'
import { mailOf, type Settings, originOf, storageOf, tickPlanOf } from '../settings.ts'
import { engineOnDemand, type EngineOnDemand } from './engine.ts'
import { siteOf } from './http/cookies.ts'
import { createCursors } from './http/cursors.ts'
import type { Gateways } from './http/gateways.ts'
import { createSignIns } from './http/sign-ins.ts'
import type { Connection } from '../models/connection.ts'

/** Nothing is connected before it is used; the engine is closed with the API. */
export function openGateways(
  settings: Settings,
  connection: Connection,
  clock: () => Date,
): Gateways & { engine: EngineOnDemand } {
  return {
    engine: engineOnDemand({
      address: settings.temporalAddress,
      namespace: settings.temporalNamespace,
      queueSuffix: settings.temporalQueueSuffix,
      encryptionKey: settings.encryptionKey,
      bulkWaitMs: settings.bulkWaitSeconds * 1000,
    }),
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
    blobs: openBlobStore(storageOf(settings)),
    signIns: createSignIns(connection, clock),
    site: siteOf(originOf(settings)),
  }
}
