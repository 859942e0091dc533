import { isAgentError, toErrorData } from '../../core/error.ts';
import type { Output } from '../../core/run.ts';

/** What a skill came to; a failure that was thrown is its failure, and anything else that was thrown is a defect. */
export async function outputOf(work: () => Promise<Output>): Promise<Output> {
  try {
    return await work();
  } catch (thrown) {
    if (!isAgentError(thrown)) throw thrown;
    const error = toErrorData(thrown);
    return { status: 'failed', text: error.message, error };
  }
}
