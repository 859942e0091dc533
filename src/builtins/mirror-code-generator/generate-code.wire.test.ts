import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { entry, generatedFiles, specs, turns } from '../../../test/support/adder-skill.ts';
import { withoutBubblewrap } from '../../../test/support/bubblewrap.ts';
import { openGenerator, valueOf } from '../../../test/support/generator-stage.ts';
import { goodKey, providerKinds } from '../../../test/support/provider-stage.ts';
import { openModels } from '../../config/models/open-models.ts';
import { openModelServer } from '../../testing/model-server/server.ts';

describe('a generation over a real connection', { skip: withoutBubblewrap }, () => {
  for (const kind of providerKinds) {
    test(`with ${kind.name} makes the code, repairs it, and asks for nothing when it is there`, async () => {
      const broken = turns['src/lib/add.mjs'].replace('(a, b)', '(a, b');
      let isBroken = true;
      await using server = await openModelServer(({ body }) => {
        const said = JSON.stringify(body);
        const name = generatedFiles.find((path) => said.includes(`Write ${path}.`)) as keyof typeof turns;
        const isFirst = name === 'src/lib/add.mjs' && isBroken;
        if (isFirst) isBroken = false;
        return isFirst ? broken : turns[name];
      });
      const { options, environment } = kind.setUp(server.url, goodKey);
      await using it = openGenerator(specs, {}, { models: openModels(options, { environment }) });
      assert.deepEqual(valueOf(await it.generate())['generated'], generatedFiles);
      assert.equal(it.text('src/index.mjs'), `${entry}\n`);
      assert.equal(server.requests.length, 4);
      assert.match(JSON.stringify(server.requests[3]?.body), /src\/lib\/add\.mjs:1: /);
      assert.deepEqual(valueOf(await it.generate())['current'], generatedFiles);
      assert.equal(server.requests.length, 4);
    });
  }
});
