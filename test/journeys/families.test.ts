import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { hidingBubblewrap, withoutBubblewrap } from '../support/bubblewrap.ts';
import { familyJourneys, takeJourney } from '../support/family-journeys.ts';
import { halfOf } from '../support/half-of.ts';

const unsandboxed = /runs without a sandbox/;

describe('from "skilled new" to a result', { concurrency: 3 }, () => {
  const journeys = Object.entries(familyJourneys);
  for (const [name, journey] of halfOf(journeys))
    test(`${name}, in a sandbox`, { skip: withoutBubblewrap }, async () => {
      assert.doesNotMatch(await takeJourney(journey), unsandboxed);
    });

  for (const [name, journey] of halfOf(journeys.toReversed()))
    test(`${name}, without bubblewrap`, async () => {
      const said = await takeJourney(journey, { wrapper: hidingBubblewrap });
      if (journey.startsProcess) assert.match(said, unsandboxed);
      else assert.doesNotMatch(said, unsandboxed);
    });
});
