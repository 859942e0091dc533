import js from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

const tests = [
  '**/*.test.ts',
  '**/*.test-d.ts',
  '**/*.stress.ts',
  '**/*.fuzz.ts',
  'test/**/*.ts',
  'src/testing/**/*.ts',
];

const timers = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'];
const nodeGlobals = Object.fromEntries(
  ['console', 'performance', 'process', 'URL', ...timers].map((name) => [name, 'readonly']),
);

export default defineConfig(
  globalIgnores(['dist/', 'coverage/', '**/fixtures/', 'examples/workshop/', 'skills/']),
  js.configs.recommended,
  {
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-console': 'error',
      'no-empty': ['error', { allowEmptyCatch: false }],
      'no-restricted-syntax': [
        'error',
        {
          selector: 'ObjectExpression > SpreadElement > ObjectExpression',
          message: 'Write the members themselves instead of spreading a literal.',
        },
      ],
      'no-var': 'error',
      'object-shorthand': 'error',
      'prefer-const': 'error',
    },
  },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'separate-type-imports' }],
      '@typescript-eslint/consistent-type-exports': 'error',
      '@typescript-eslint/no-import-type-side-effects': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', ignoreRestSiblings: true, ignoreUsingDeclarations: true },
      ],

      // Numbers and booleans read well in messages; objects do not.
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      // () => list.push(x) and an early return add(issue) say what they mean.
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
      // Plain objects of functions have no this to lose.
      '@typescript-eslint/unbound-method': 'off',
      // while (true) is the plainest endless loop.
      '@typescript-eslint/no-unnecessary-condition': [
        'error',
        { allowConstantLoopConditions: 'only-allowed-literals' },
      ],
      // An async function without await is how a synchronous thing fulfils an asynchronous contract.
      '@typescript-eslint/require-await': 'off',
    },
  },
  {
    files: tests,
    rules: {
      '@typescript-eslint/no-floating-promises': [
        'error',
        {
          allowForKnownSafeCalls: [
            { from: 'package', package: 'node:test', name: ['test', 'it', 'describe', 'suite'] },
          ],
        },
      ],
      // Tests state what they know, and doubt what the types promise.
      '@typescript-eslint/no-unnecessary-condition': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-empty-function': 'off',
    },
  },
  // Names of the previous release stay exported.
  { files: ['src/index.ts', 'src/testing/index.ts'], rules: { '@typescript-eslint/no-deprecated': 'off' } },
  { files: ['src/cli/**/*.ts', 'bench/**/*.ts', 'examples/**/*.ts'], rules: { 'no-console': 'off' } },
  {
    files: ['scripts/**/*.js', 'eslint.config.js'],
    languageOptions: { globals: nodeGlobals },
    rules: { 'no-console': 'off' },
  },
);
