import { z } from 'zod';
import { named } from './openapi.ts';

const text = (most: number): z.ZodString => z.string().max(most);
const name = text(200).min(1);
const time = z.number().describe('Milliseconds since the Unix epoch.');
/** Any JSON value. */
export const anyJson = z.unknown().describe('Any JSON value.');

/** The body of an error. */
export const problemSchema = named(
  'Problem',
  z.object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.string().describe('The error code, such as `usage.bad-input`.'),
    hint: z.string().optional().describe('The next step.'),
    details: anyJson.optional(),
  }),
);

const usageSchema = named(
  'Usage',
  z.object({ inputTokens: z.number(), outputTokens: z.number(), cost: z.number().optional() }).loose(),
);

/** A question that a run is waiting for. */
const questionSchema = named(
  'Question',
  z
    .object({
      id: z.string(),
      kind: z.enum(['input', 'approval']),
      text: z.string(),
      path: z.array(z.string()),
      options: z.array(z.string()).optional(),
      schema: anyJson.optional(),
      expires: time.optional(),
      asks: anyJson.optional().describe('The call that needs an approval.'),
    })
    .loose(),
);

const statusSchema = named(
  'RunStatus',
  z.enum(['running', 'waiting', 'interrupted', 'done', 'failed', 'cancelled']),
);

/** A run in a list. */
export const runSummarySchema = named(
  'RunSummary',
  z.object({
    id: z.string(),
    status: statusSchema,
    skill: z.string().describe('Empty until a skill is chosen.'),
    title: z.string(),
    session: z.string().optional().describe('Absent for a run outside any session.'),
    events: z.int().describe('The number of events, which is also the id of the last event.'),
    startedAt: time,
    updatedAt: time,
  }),
);

/** A run with its result so far. */
export const runSchema = named(
  'Run',
  runSummarySchema.extend({
    ok: z.boolean(),
    text: z.string(),
    value: anyJson.optional(),
    variables: anyJson.optional(),
    question: questionSchema.optional(),
    usage: usageSchema,
    error: z.object({ code: z.string(), message: z.string() }).loose().optional(),
  }),
);

const limitsSchema = named(
  'RunLimits',
  z
    .strictObject({
      depth: z.int().min(1),
      frames: z.int().min(1),
      leafCalls: z.int().min(1),
      steps: z.int().min(1),
      tokens: z.int().min(1),
      cost: z.number().positive(),
      runSeconds: z.number().positive(),
      callSeconds: z.number().positive(),
    })
    .partial()
    .describe('Limits of this run. They can only lower those of the server.'),
);

const attachmentSchema = z.strictObject({
  name: text(200).min(1),
  mediaType: z.enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp']),
  data: z.string().describe('The content in base64.'),
});

/** The body that starts a run. */
export const newRunSchema = named(
  'NewRun',
  z
    .strictObject({
      prompt: text(1_000_000).optional().describe('The request as text. `/name text` names a skill.'),
      skill: name.optional().describe('The skill to call. Without it, the prompt determines the skill.'),
      input: anyJson.optional().describe("The skill's input. Default: the prompt."),
      session: name
        .optional()
        .describe('The conversation to continue. Without it, the run is not part of one.'),
      question: z
        .strictObject({ runId: name, id: name })
        .nullable()
        .optional()
        .describe('The only question that the prompt can answer, or null for none.'),
      assistant: z.enum(['open', 'skills-only']).optional(),
      attachments: z.array(attachmentSchema).max(10).optional(),
      result: z.record(z.string(), anyJson).optional().describe('The JSON Schema of the result value.'),
      model: name.optional(),
      effort: text(20).optional(),
      limits: limitsSchema.optional(),
      wait: z
        .boolean()
        .optional()
        .describe(
          'Responds when the run has ended or waits. If the client disconnects, the run is cancelled.',
        ),
      stream: z
        .boolean()
        .optional()
        .describe('Responds with the events. If the client disconnects, the run continues.'),
    })
    .refine((body) => body.prompt !== undefined || body.skill !== undefined, 'needs a prompt or a skill')
    .refine((body) => body.wait !== true || body.stream !== true, 'can have wait or stream, not both'),
);

/** The id in a path. */
export const idParams = z.object({ id: name });
/** The name in a path. */
export const nameParams = z.object({ name });
/** The run and the artifact in a path. */
export const artifactParams = z.object({ id: name, name: text(500).min(1) });

const limit = z.coerce.number().int().min(1).max(1_000).optional();

/** The filters of a list of runs. */
export const listRunsQuery = z.strictObject({
  status: z
    .union([statusSchema, z.array(statusSchema).max(6)])
    .optional()
    .describe('Repeat it for several.'),
  session: name.optional(),
  limit: limit.describe('The maximum number of runs. Default 50.'),
  cursor: text(500).optional().describe('The `cursor` of the previous page.'),
});

/** The part of the events to get. */
export const eventsQuery = z.strictObject({
  after: z.coerce.number().int().min(0).optional().describe('Only events after this id.'),
  limit,
});

/** The body that ends a run. */
export const cancelSchema = named('CancelRun', z.strictObject({ reason: text(1_000).optional() }));

/** The body that continues a run. */
export const resumeSchema = named(
  'ResumeRun',
  z.strictObject({
    answer: anyJson.optional().describe('The answer to a question of the run.'),
    question: name.optional().describe('The id of the question. Default: the oldest one.'),
    wait: z.boolean().optional(),
  }),
);

/** The body that starts a run again. */
export const rerunSchema = named(
  'RerunRun',
  z.strictObject({
    from: name.optional().describe('The id of a frame. Everything that ended before it is reused.'),
    wait: z.boolean().optional(),
  }),
);

/** A message to a run. */
export const steerSchema = named('SteerRun', z.strictObject({ text: text(100_000).min(1) }));

/** A page of a list. */
export function pageOf(item: z.ZodType, id: string): z.ZodType {
  const cursor = z.string().optional().describe('Pass it to get the next page. Absent on the last page.');
  return named(id, z.object({ data: z.array(item), cursor }));
}

/** An artifact without its content. */
export const artifactSchema = named(
  'Artifact',
  z.object({
    number: z.int(),
    name: z.string(),
    mediaType: z.string(),
    skill: z.string(),
    digest: z.string(),
    at: time,
    characters: z.int(),
  }),
);

/** A problem in the files of a skill. */
export const issueSchema = named(
  'Issue',
  z.object({ level: z.string(), code: z.string(), message: z.string() }).loose(),
);

/** A skill in a list. */
export const skillSchema = named(
  'Skill',
  z.object({
    name: z.string(),
    family: z.string(),
    source: z.string(),
    status: z.string(),
    description: z.string(),
    input: anyJson.optional(),
    output: anyJson.optional(),
    tags: z.array(z.string()).optional(),
    examples: z.array(z.string()).optional(),
    argumentHint: z.string().optional(),
  }),
);

/** A skill with its diagnostics and text. */
export const skillDetailSchema = named(
  'SkillDetail',
  skillSchema.extend({
    issues: z.array(issueSchema),
    missing: z.array(anyJson),
    text: z.string().optional().describe('The text of the skill, if it has one.'),
  }),
);

/** The prompt to rank skills for. */
export const rankSchema = named(
  'RankSkills',
  z.strictObject({ prompt: text(100_000).min(1), limit: z.int().min(1).max(100).optional() }),
);

/** Skills with their scores, best first. */
export const rankedSchema = named(
  'RankedSkills',
  z.object({ data: z.array(z.object({ name: z.string(), score: z.number() })) }),
);

/** A call that waits for a decision. */
export const approvalSchema = named(
  'Approval',
  z.object({
    id: z.string(),
    runId: z.string(),
    path: z.array(z.string()).describe('The calling skills, outermost first.'),
    asks: anyJson.describe('The exact call, the reason and the rule.'),
    at: time,
    expired: z.boolean(),
  }),
);

/** A decision about a call. */
export const decideSchema = named(
  'Decision',
  z.union([
    z.strictObject({ allow: z.enum(['once', 'run']) }),
    z.strictObject({ deny: text(1_000).describe('The reason, which the caller receives.') }),
  ]),
);

/** A conversation. */
export const sessionSchema = named(
  'Session',
  z.object({ id: z.string(), createdAt: time.optional(), lastUsedAt: time.optional() }).loose(),
);

/** A message of the user or the assistant. */
export const messageSchema = named(
  'Message',
  z.object({
    role: z.enum(['user', 'assistant']),
    text: z.string(),
    runId: z.string(),
    at: time,
    skill: z.string().optional(),
    status: statusSchema.optional(),
  }),
);
