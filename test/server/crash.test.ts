import { test } from 'node:test';
import { killDuringRuns } from './kill-server.ts';

test('kill -9 in the middle of streamed runs: clients continue on the next server, nothing is lost', () =>
  killDuringRuns(8));
