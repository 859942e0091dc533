import { notImplemented, type Output } from '../../core/output.ts';

/** Answers that this family cannot run its skills yet. */
export function execute(): Promise<Output> {
  return Promise.resolve(notImplemented('MCP'));
}
