import { z } from 'zod';
import { userKey, type Json } from '../../core/index.ts';
import { sumUsageBy } from '../../views/index.ts';
import { defineEndpoint, type Endpoint } from './endpoint.ts';
import { pageOf } from './schemas.ts';

const fields = ['day', 'skill', 'model', 'user', 'client'] as const;
const fieldSchema = z.enum(fields);

/** The endpoints for usage and models. */
export const usageEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    method: 'get',
    path: '/v1/usage',
    id: 'getUsage',
    summary: 'Get money, tokens, runs and failures of the last 31 days',
    description: 'Users see their own usage, admins that of everyone.',
    scope: 'runs:read',
    query: z.strictObject({
      by: z
        .union([fieldSchema, z.array(fieldSchema).max(fields.length)])
        .optional()
        .describe('What to divide the usage by. Repeat it for several. Default: day.'),
      since: z.iso.date().optional().describe('The first day in UTC, such as 2026-11-19.'),
      until: z.iso.date().optional().describe('The last day in UTC.'),
    }),
    response: pageOf(
      z.object({ runs: z.int(), failed: z.int(), inputTokens: z.number(), outputTokens: z.number() }).loose(),
      'UsageList',
    ),
    async handle({ query: { by = 'day', since = '', until = '9' } }, { context, caller }) {
      const own = userKey(caller.user?.id) ?? '';
      const entries = (await context.usage.read()).filter(
        ({ day, user }) => day >= since && day <= until && (caller.isAdmin || user === own),
      );
      return { data: sumUsageBy(entries, [...new Set([by].flat())]) };
    },
  }),
  defineEndpoint({
    method: 'get',
    path: '/v1/models',
    id: 'listModels',
    summary: 'List the models that runs can use',
    scope: 'skills:read',
    response: pageOf(z.object({ name: z.string() }).loose(), 'ModelList'),
    async handle(_input, { context }) {
      const listed: Json = (await context.models?.()) ?? [];
      return { data: listed };
    },
  }),
];
