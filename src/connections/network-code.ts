import { systemCode } from '../files/file-fault.ts';

/** The short name of what the network did, such as `ECONNREFUSED`, from whatever it is wrapped in; undefined for other failures. */
export function networkCode(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error)) return undefined;
  const code = systemCode(thrown);
  if (code !== undefined && /^(?:E[A-Z]|UND_ERR_)/.test(code) && !code.startsWith('ERA_')) return code;
  const inner = thrown instanceof AggregateError ? (thrown.errors as unknown[])[0] : thrown.cause;
  return networkCode(inner);
}
