import { z } from 'zod';
import { familyOf, optional, type Skill } from '../../core/index.ts';
import { isInternal } from '../../skills/catalog/entries.ts';
import { maySkill, notFound, type Caller } from '../caller.ts';
import type { ServerContext } from '../route-group.ts';
import { defineEndpoint, type Endpoint } from './endpoint.ts';
import { named } from './openapi.ts';
import { aloneSession } from './own-runs.ts';
import { nameParams, pageOf, rankedSchema, rankSchema, skillDetailSchema, skillSchema } from './schemas.ts';

const get = { method: 'get', scope: 'skills:read' } as const;

/** The endpoints for skills. They show only the skills that the caller may start. */
export const skillEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    ...get,
    path: '/v1/skills',
    id: 'listSkills',
    summary: 'List the skills that you may use',
    query: z.strictObject({ text: z.string().max(1_000).optional().describe('Words to search for.') }),
    response: pageOf(skillSchema, 'SkillList'),
    async handle({ query: { text } }, { context, caller }) {
      const { skills } = context.agent;
      const found = text === undefined ? skills.list() : skills.search({ query: text });
      return { data: found.filter((skill) => isShown(caller, skill)).map(showSkill) };
    },
  }),
  defineEndpoint({
    ...get,
    path: '/v1/skills/{name}',
    id: 'getSkill',
    summary: 'Get a skill: its card, schemas, diagnostics and text',
    params: nameParams,
    response: skillDetailSchema,
    async handle({ params }, { context, caller }) {
      const skill = context.agent.skills.get(params.name);
      if (skill === undefined || !isShown(caller, skill)) throw notFound('skill', params.name);
      const issues = skill.issues.map(({ file: _file, ...issue }) => issue);
      const missing = skill.missing ?? [];
      return { ...showSkill(skill), issues, missing, ...optional('text', textOf(context, skill)) };
    },
  }),
  defineEndpoint({
    method: 'post',
    path: '/v1/skills/rank',
    id: 'rankSkills',
    summary: 'Rank skills by how well they fit a prompt',
    scope: 'skills:read',
    body: rankSchema,
    response: rankedSchema,
    async handle({ body: { prompt, limit = 10 } }, { context, caller }) {
      const { skills } = context.agent;
      const among = skills.list().filter((skill) => isShown(caller, skill));
      const { candidates, abstain, threshold } = await skills.rank(prompt, { among, limit });
      return { data: candidates.map(({ name, score }) => ({ name, score })), abstain, threshold };
    },
  }),
  defineEndpoint({
    ...get,
    path: '/v1/catalog',
    id: 'getCatalog',
    summary: 'Get the catalog of skills as a model sees it',
    query: z.strictObject({ request: z.string().max(100_000).optional() }),
    response: named('Catalog', z.object({ text: z.string(), shown: z.int(), omitted: z.array(z.string()) })),
    async handle({ query: { request } }, { context, caller }) {
      if (caller.principal.skills !== undefined) {
        const own = context.agent.skills.list().filter((skill) => isShown(caller, skill));
        const lines = own.map(({ name, card }) => `- ${name}: ${card.description}`);
        return { text: lines.join('\n'), shown: own.length, omitted: [] };
      }
      const { text, shown, omitted } = await context.agent.skills.catalog(optional('request', request));
      return { text, shown, omitted };
    },
  }),
  defineEndpoint({
    ...get,
    path: '/v1/families',
    id: 'listFamilies',
    summary: 'List the kinds of skills',
    response: pageOf(z.object({ id: z.string(), label: z.string() }), 'FamilyList'),
    handle: async (_input, { context }) => ({
      data: context.agent.families.map(({ id, label }) => ({ id, label })),
    }),
  }),
];

function isShown(caller: Caller, skill: Skill): boolean {
  const { status, card } = skill;
  const isUsable = status === 'ready' || status === 'unavailable';
  return isUsable && !isInternal(skill) && card.userInvocable !== false && maySkill(caller, skill);
}

function showSkill({ name, family, source, status, card }: Skill): object {
  const { description, input, output, tags, examples, argumentHint } = card;
  return {
    name,
    family,
    source,
    status,
    description,
    ...optional('input', input),
    ...optional('output', output),
    ...optional('tags', tags),
    ...optional('examples', examples),
    ...optional('argumentHint', argumentHint),
  };
}

/** Returns a skill's text, or undefined for a skill without one or with one that must not be shown yet. */
function textOf({ agent }: ServerContext, skill: Skill): string | undefined {
  if (familyOf(agent.families, skill)?.text?.render === undefined) return undefined;
  try {
    return agent.render(skill.name, { session: aloneSession('none') }).text;
  } catch {
    return undefined; // Its input is required, or it is not trusted yet.
  }
}
