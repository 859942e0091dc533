import { toErrorData } from '../core/error.ts';
import { noUsage, type Model } from '../core/model.ts';
import { abortedEnd, failedEnd } from './model-end.ts';

/** A model that is known only when it is first asked; its answers name the one that gave them. */
export function deferModel(id: string, find: () => Promise<Model>): Model {
  return {
    id,
    findFault: () =>
      find().then(
        ({ fault }) => fault,
        (thrown: unknown) => toErrorData(thrown),
      ),
    async *stream(request, signal) {
      const found = await orAborted(
        find().catch((thrown: unknown) => toErrorData(thrown)),
        signal,
      );
      if (found === 'aborted') yield abortedEnd(noUsage);
      else if ('code' in found) yield failedEnd(found, noUsage);
      else {
        for await (const event of found.stream(request, signal)) {
          yield event.type === 'end' ? { ...event, model: event.model ?? found.id } : event;
        }
      }
    },
  };
}

/** What comes first; a search goes on for those who still wait for it. */
function orAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value | 'aborted'> {
  return new Promise((resolve, reject) => {
    const leave = (): void => resolve('aborted');
    if (signal.aborted) return leave();
    signal.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
