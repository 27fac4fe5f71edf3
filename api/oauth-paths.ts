// Mounts the paths of OAuth, at the origin and below the API's own path.
import type { AccessLog } from './http/access-log.ts'
import type { ServerContext } from './http/server-context.ts'
import { mount, sendBytes, type RestServer } from './mount.ts'
import { oauthRoutes } from './oauth/routes.ts'

export function mountOAuth(
  server: RestServer,
  context: ServerContext,
  accessLog: Pick<AccessLog, 'request'>,
  below: string,
): void {
  for (const { method, path, answer } of oauthRoutes(context, accessLog, below))
    mount(server, method, path, async (request, response) => {
      const { status, body, headers } = await answer(request)
      sendBytes(response, status, body, headers)
    })
}
