import { fromErrorData, type JsonObject, type Scope } from '../../../core/index.ts';

/** Asks whether a file may be read or written, by the rules that hold for everybody's files; throws what the answer is. */
export async function askLeave(scope: Scope, skill: 'read' | 'write', input: JsonObject): Promise<void> {
  const output = await scope.call(skill, input, { leaveOnly: true });
  if (output.status === 'failed') throw fromErrorData(output.error);
}
