import { fromErrorData, type JsonObject, type Scope } from '../../../core/index.ts';

/** Asks for permission under the general rules for reading and writing files. Throws if it is denied. */
export async function askPermission(scope: Scope, skill: 'read' | 'write', input: JsonObject): Promise<void> {
  const output = await scope.call(skill, input, { permissionOnly: true });
  if (output.status === 'failed') throw fromErrorData(output.error);
}
