import type { JsonObject } from '../../core/index.ts';
import type { GroupHandler, ServerContext } from '../route-group.ts';
import { approvalEndpoints } from './approvals.ts';
import { createRestApp, type Endpoint } from './endpoint.ts';
import { describeApi } from './openapi.ts';
import { runActionEndpoints } from './run-actions.ts';
import { runEndpoints } from './runs.ts';
import { problemSchema } from './schemas.ts';
import { sessionEndpoints } from './sessions.ts';
import { skillEndpoints } from './skills.ts';
import { usageEndpoints } from './usage.ts';

const description =
  'Runs skills, follows runs, and decides about approvals. Send a key as `Authorization: Bearer <key>` or `x-api-key`. Errors are problem details (RFC 9457) with a code and a hint.';

/** All endpoints of the REST API. */
export const restEndpoints: readonly Endpoint[] = [
  ...runEndpoints,
  ...runActionEndpoints,
  ...skillEndpoints,
  ...approvalEndpoints,
  ...sessionEndpoints,
  ...usageEndpoints,
];

/** Returns the OpenAPI document of the REST API. */
export function describeRest(version: string): JsonObject {
  return describeApi(restEndpoints, { version, description, problem: problemSchema });
}

/** Opens the REST API. */
export function openRest(context: ServerContext): GroupHandler {
  const app = createRestApp(restEndpoints);
  return { handle: async (request, caller) => await app.fetch(request, { context, caller }) };
}

/** Opens the description of the REST API, which needs no key. */
export function openDescription({ version }: ServerContext): GroupHandler {
  const document = describeRest(version);
  return { handle: async () => Response.json(document) };
}
