import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Skill } from '../../../core/skill.ts';
import { createTestScope } from '../../../testing/test-scope.ts';
import { skillCommands } from './skill-commands.ts';

function skill(name: string, source: Skill['source'] = 'project'): Skill {
  return {
    name,
    aliases: [`${source}:${name}`],
    family: 'code',
    source,
    root: '',
    dir: '',
    file: '',
    status: 'ready',
    issues: [],
    card: { description: `Is for ${name}.` },
  };
}

describe('skills as commands', () => {
  test('are distinguished from their namesakes, so that no one takes over what another one did', () => {
    const skills = [skill('deploy'), skill('deploy', 'user')];
    const { find, names } = skillCommands(createTestScope({ callable: skills }), skills);
    assert.equal(find('deploy')?.name, 'deploy');
    assert.equal(find('project:deploy')?.name, 'deploy');
    assert.equal(find('user:deploy')?.name, 'user:deploy');
    assert.deepEqual([...names()], ['deploy', 'user:deploy']);
  });

  test('are not taken for one whose name only looks like a name with a source', () => {
    const skills = [skill('user-deploy')];
    const scope = createTestScope({ callable: [...skills, skill('deploy', 'user')] });
    assert.equal(
      skillCommands(scope, [...skills, ...scope.skills.callable.slice(1)]).find('user:deploy')?.name,
      'deploy',
    );
  });

  test('are those of the list and no others, by whatever name', () => {
    const [mine, other] = [skill('mail'), skill('charge')];
    const { find } = skillCommands(createTestScope({ callable: [mine, other] }), [mine]);
    assert.equal(find('Mail')?.name, 'mail');
    assert.equal(find('charge'), undefined);
    assert.equal(find('project:charge'), undefined);
    const two = [skill('deploy'), skill('deploy', 'user'), skill('project-deploy')];
    const some = skillCommands(createTestScope({ callable: two }), two.slice(1));
    assert.equal(some.find('deploy')?.name, 'user:deploy');
    assert.equal(some.find('project:deploy'), undefined);
  });
});
