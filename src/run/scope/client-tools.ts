import {
  clientAnswerSchema,
  hashOf,
  isJsonObject,
  type ClientTool,
  type Json,
  type JsonObject,
  type Output,
  type ProvidedSkill,
} from '../../core/index.ts';
import type { Frame } from '../calls/frame.ts';
import type { Execution } from '../lifecycle/execution.ts';
import { provideSkills } from './skills.ts';

const anyObject: JsonObject = { type: 'object' };

/** Offers the tools of the request's client to the run's outermost skill, also when the run is continued. */
export function offerClientTools({ state }: Execution, frame: Frame): void {
  const { tools = [] } = state.started ?? {};
  if (tools.length === 0 || frame.depth !== 1 || frame.provided.size > 0) return;
  provideSkills(frame, tools.map(skillFor), { isOfClient: true });
}

/** Returns a skill whose call waits for the client's result. */
function skillFor(tool: ClientTool): ProvidedSkill {
  const { name, description, input = anyObject } = tool;
  return {
    name,
    source: 'explicit',
    card: { description: description.trim() === '' ? `The client's tool "${name}".` : description, input },
    permission: { effect: 'The client of the request runs it.' },
    digest: hashOf([name, description, input]),
    run: async (given, scope) => {
      const question = `The client must run its tool "${name}", and return the result.`;
      const called = { name, arguments: given };
      return outputFor(name, await scope.ask({ text: question, schema: clientAnswerSchema, tool: called }));
    },
  };
}

function outputFor(name: string, answer: Json): Output {
  const { error } = isJsonObject(answer) ? answer : {};
  if (typeof error !== 'string') return { status: 'done', text: typeof answer === 'string' ? answer : '' };
  const message = error === '' ? `The client could not run "${name}".` : error;
  return { status: 'failed', text: message, error: { code: 'skill.failed', message } };
}
