import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { insertValues, type Insertion, type Refusal } from './insert-values.ts';

// `@` is the value, and `§` is the path of the skill's folder.
function insert(template: string, value: string): Insertion {
  const pieces = template.split(/([@§])/).map((piece) => {
    if (piece === '@') return { value, mayName: false };
    return piece === '§' ? { value: '/skills/a b', mayName: true, isSkillFolder: true } : piece;
  });
  return insertValues(pieces, { allowDash: false });
}

/** Tests that the templates refuse a value for a reason. */
function refuses(refusal: Refusal, value: string, templates: readonly string[]): void {
  for (const template of templates) {
    test(`${template} refuses ${value}`, () => {
      const insertion = insert(template, value);
      assert.equal('refusal' in insertion ? insertion.refusal : 'accepted', refusal);
    });
  }
}

function accepts(value: string, templates: readonly string[]): void {
  for (const template of templates) {
    test(`${template} accepts ${value}`, () => {
      assert.ok('script' in insert(template, value), JSON.stringify(insert(template, value)));
    });
  }
}

describe('a value that a script writes to a file does not come back as code', () => {
  refuses('effects', 'value', [
    ...['echo @ > f; sh < f', 'echo @ > /tmp/f.txt; sh /tmp/f.txt', 'echo @ > f.log; make -f f.log'],
    ...['echo @ > f; cat f | sh', 'echo @ > f; source f', 'echo @ | tee f; sh f', 'tee f <<< @; make'],
    ...['echo @ >& f; make', 'exec > f; echo @; make', 'echo @ > >(cat > f); make', 'echo @ <> f >&0; make'],
    ...['{ echo @; make; } > Makefile', 'cat <<< @ > run.sh; bash run.sh', 'x=@; echo "$x" > f; sh f'],
    ...['make & echo @ > Makefile', 'for i in 1 2; do make; echo @ > f; done'],
    ...['echo @ > //dev/f; make', 'echo @ > 1; make', 'timeout 5 tee f <<< @; timeout 5 make'],
  ]);
  refuses('unlisted', 'value', ['f() { make; }; echo @ > Makefile; f']);
  refuses('program', 'value', ['echo @ > f; $(cat f)', 'echo @ > f; x=$(cat f); $x']);
  refuses('code', 'value', ['echo @ > f; [ -f $(cat f) ]', 'echo @ > f; printf "$(cat f)"']);
  refuses('unclear', 'value', [
    ...['echo @ > f; rm $(cat f)', 'echo @ > f; rm "$(cat f)"', 'echo @ > f; xargs rm < f', 'touch @; rm *'],
    'while true; do rm "$(cat f)"; echo @ > f; done',
  ]);
  accepts('value', [
    ...['echo @ > f; cat f', 'git diff @ > f.diff; wc -l f.diff', 'git log @ 2>/dev/null | head; git status'],
    ...['echo @ >&2; make', 'ls > f; git log @', 'git status; echo @ > f', 'echo @ > f; rm -- "$(cat f)"'],
  ]);
});

describe('a value that changes files or the folder does not decide what runs next', () => {
  refuses('effects', 'value', [
    ...['wget @; make', 'wget -O x.sh @; ./x.sh', 'curl -o x.sh @; sh x.sh', 'curl -so x.sh @; ./x.sh'],
    ...[
      'tar -xf @; ./x.sh',
      'unzip @; make',
      'uniq a @; make',
      'xxd -r @ x; ./x.sh',
      'shuf -o x -e @; ./x.sh',
    ],
    ...['iconv -o x.sh @; ./x.sh', 'dd if=@ of=x.sh; ./x.sh', 'zip a.zip @; make', 'sort -o x.sh @; ./x.sh'],
    ...['sed -i s/a/b/ @; make', "awk '{print > 1}' @; make", 'cp @ x.sh; ./x.sh'],
    ...[
      'git checkout @ && npm test',
      'git switch @; ./x.sh',
      'git pull origin @; make',
      'git restore @; make',
    ],
    ...['git worktree add ../@; make', 'git fetch origin @; git checkout FETCH_HEAD', 'touch @; git log *'],
    ...['o=-o; curl $o x.sh @; ./x.sh', 'shuf $o x.sh -e @; ./x.sh', 'shuf -@ x.sh; ./x.sh'],
    ...['git branch -f main @; make', 'git tag -f v1 @; git checkout v1', 'git stash push -- @; make'],
    ...['git commit -m @; $(git log -1 --format=%s)', 'gh pr merge @ -d; make'],
    ...['git checkout @; gh pr list', 'docker tag @ app; docker run app', 'cd @; make', 'cd @; npm test'],
  ]);
  accepts('value', [
    ...['git branch --list @; git status', 'git tag -l @; make', 'curl -s "$API/@" | jq .'],
    ...['wget -qO- @; git status', 'curl -o /dev/null @; git status', 'tar -tf @; git status'],
    ...['unzip -l @; git status', 'uniq @; git status', 'sort @ | uniq -c | sort', 'git add @; git status'],
    ...['cd @ && ls *', 'git checkout -b @', 'git switch @ | tail -1'],
  ]);
});

describe('only a script of the skill or the project takes any value', () => {
  refuses('unlisted', 'value', [
    ...['./x @', './gradlew @', 'bin/x.sh @', './node_modules/x.js @', '.venv/x.py @', 'my-env/x.py @'],
    ...[
      'vendor/x.php @',
      '.tox/x.py @',
      '~/bin/x.py @',
      '/opt/x.py @',
      '../x.sh @',
      'a/../../x.sh @',
      'x.sh @',
    ],
    ...['./git log @', 'bin/ls @', 'node_modules/.bin/jq . @', './test -f @', '.venv/bin/pip show @'],
    ...['§/../x.sh @', '§/node_modules/x @', '§/.venv/bin/x @', '§x.sh @', '~other/x.sh @'],
  ]);
  refuses('code', 'value', [
    ...['python3 x @', 'python3 node_modules/x.py @', 'python3 /usr/lib/x.py @', 'php artisan tinker @'],
    ...['python3 //dev/stdin <<< @', 'bash //dev/stdin <<< @', 'python3 manage.py shell -c @', './x.py -c @'],
    ...[
      './x.py -e @',
      './x.py -c@',
      './x.py --eval @',
      './x.py --eval=@',
      './x.py --execute=@',
      './x.py runner @',
    ],
    ...['./x.py -@', './x.py --@', './x.py --e@', './x.py -v@', './x.py -vc @', 'python3 -- x.py -c @'],
    ...['./x.js --config @', './x.js eval @', './x.php tinker @', './x.php console @', 'o=-c; ./x.py $o @'],
    ...['python3.12 -c "print(@)"', 'python3.12 x @'],
  ]);
  accepts('value', [
    ...['./x.sh @', 'scripts/x.py --out @', '~/.claude/x.py @', '§/x @', '§/bin/x.sh @'],
    ...['/usr/bin/jq . @', '.venv/bin/python x.py @', './x.py --name=@', './x.py -n @'],
    ...['python3 x.py @', 'python3.12 scripts/x.py @', 'bash §/run @', 'x=@; ./x.sh "$x"'],
  ]);
});

describe('a word that a value may begin is not an option', () => {
  refuses('unclear', 'value', [
    ...['x=@; rm $x', 'x=@; rm -- $x', 'for f in @; do rm $f; done', 'x=@; shuf $x', 'N=@; gh pr view $N'],
    ...[
      'echo @ | xargs rm',
      'find . -name @ | xargs cat',
      'rm $(echo @)',
      'rm "$(echo @)"',
      'x=@; ./x.sh $x',
    ],
    ...['rm "${y}@"', 'python3 x.py "$(cat @)"'],
  ]);
  refuses('dash', '-rf src', [
    'python3 -- x.py @',
    'rm @',
    'x=@; rm "$x"',
    'for f in @; do rm "$f"; done',
    'npm test -- @',
  ]);
  refuses('special', '@file', ['curl -d @ x', 'curl --json @ x', 'curl @']);
  refuses('special', 'x=1', ["awk '{print}' @", "gawk '{print}' f @"]);
  refuses('special', '!x', ['find @']);
  accepts('-rf src', ['rm -- @', 'x=@; rm -- "$x"', 'echo "a @" | xargs rm --', 'rm "./@"']);
  accepts('value', ['ls "$HOME/@"', 'x=@; rm "$x"', 'diff <(sort @) b']);
});

test('a value that the shell or xargs may split is refused even where options are allowed', () => {
  for (const template of [
    'for f in @; do rm $f; done',
    'rm $(echo @)',
    './x.py $(echo @)',
    'ls @ | xargs rm',
  ]) {
    const pieces = template
      .split(/(@)/)
      .map((piece) => (piece === '@' ? { value: '-c x', mayName: false } : piece));
    const insertion = insertValues(pieces, { allowDash: true });
    assert.equal('refusal' in insertion ? insertion.refusal : 'accepted', 'unclear', template);
  }
});

describe('a value after npm is a plain word', () => {
  refuses('plain', '@x', ['npm test -- @', 'npm run x -- @']);
  refuses('plain', '/x', ['npm test -- @', 'cargo test @']);
  refuses('plain', '../x', ['npm test -- @']);
  refuses('plain', 'a/../x', ['npm test -- @', 'npm test -- src/@']);
  refuses('plain', 'user/repo', ['npm view @', 'pnpm info @', 'pip show @']);
  refuses('unlisted', 'value', ['npm test -- --config @', 'npm run x -- -r @', 'npm test -- "$o" @']);
  refuses('unclear', 'value', ['npm test -- "$DIR/@"', 'npm test -- src/*@']);
  accepts('src/x.test.ts', ['npm test -- @', 'npm run lint -- @']);
  accepts('@scope/pkg', ['npm view @', 'npm view "@" version']);
});

describe('a value chooses no file, host or template of gh, and no other reference of git', () => {
  refuses('code', 'value', [
    ...[
      'gh api x -F a=@',
      'gh api x --field=a=@',
      'gh api x --input @',
      'gh api x --hostname @',
      'gh api x -t @',
    ],
    ...['gh pr comment 1 -F @', 'gh pr list -t @', 'gh pr list --template @'],
  ]);
  refuses('unlisted', 'value', [
    'gh pr view --web=@',
    'gh issue list --@',
    'docker logs --host=@',
    'docker ps --@',
  ]);
  for (const value of [':main', '+main', 'a:b', '*', 'refs/*', '^x'])
    refuses('plain', value, ['git push origin @', 'git fetch origin @', 'x=@; git push origin "$x"']);
  refuses('plain', 'value', ['git push origin HEAD:@', 'git fetch origin +@']);
  accepts('feature/x', [
    'git push origin @',
    'git fetch origin @ --depth=1',
    'gh api x -f a=@',
    'gh pr list -H @',
  ]);
  accepts('value', ['gh pr create --title @ --body @', 'gh issue list --search @ --json number --jq .[0]']);
});

describe('code of the script does not evaluate a value', () => {
  refuses('code', 'value', [
    ...["python3 -c 'exec(input())' <<< @", "python3 -c 'import os,sys; os.system(sys.argv[1])' @"],
    ...[
      "python3 -c 'import sys; sys.modules' @",
      "python3 -c 'import sys; sys.path.insert(0, sys.argv[1])' @",
    ],
    ...["python3 -c '().__class__' @", "python3 -c 'open(1)' @", "python3 -c 'from sys import argv' @"],
    ...["sed 's/a/b/e' <<< @", 'sed 1e <<< @', 'sed e <<< @', "sed 'w f' <<< @", "sed -n '1e @' f"],
    ...["curl -o '#1' @", 'curl -w @ x', "curl -w '%output{f}' @"],
    'curl -w "$f" @',
  ]);
  refuses('unlisted', 'value', ['tree -H @ -R -L 1', 'docker build --build-arg X=@ .', 'nslookup <<< @']);
  refuses('unlisted', 'value', ["node -e 'eval(1)' @", 'node -p 1 @', 'kubectl apply -f @']);
  accepts('value', [
    ...["python3 -c 'import sys; print(sys.argv[1])' @", "sed -n '1,4p;s/a/b/g' @", 'kubectl get -f @ pods'],
    ...['echo @ | python3 -c \'import json, sys; print(json.load(sys.stdin)["a"])\'', 'kubectl logs -f @'],
  ]);
});
