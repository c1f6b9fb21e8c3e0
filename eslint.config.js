// @ts-check
import eslint from '@eslint/js';
import tseslint from 'typescript-eslint';

/**
 * Which folder of src/ may import which: docs/design.md's table, kept true. Data flows one way.
 * A folder may always import itself.
 */
const mayImport = {
  model: [],
  config: ['model'],
  plan: ['model'],
  health: ['model'],
  netlink: [],
  kernel: ['model', 'netlink'],
  daemon: ['model', 'config', 'plan', 'health', 'netlink', 'kernel'],
  control: ['model', 'plan', 'daemon'],
  import: ['model', 'config'],
  cli: ['model', 'config', 'plan', 'health', 'netlink', 'kernel', 'daemon', 'control', 'import'],
};

const folders = Object.keys(mayImport);

const importTable = Object.entries(mayImport).map(([folder, allowed]) => ({
  files: [`src/${folder}/**/*.ts`],
  rules: {
    'no-restricted-imports': [
      'error',
      {
        patterns: folders
          .filter((other) => other !== folder && !allowed.includes(other))
          .map((other) => ({
            regex: `^(\\.\\./)+${other}/`,
            message: `src/${folder}/ may not import src/${other}/ (docs/design.md, "The code").`,
          })),
      },
    ],
  },
}));

export default tseslint.config(
  { ignores: ['dist/', 'dist-*/', '.tap/', 'node_modules/'] },
  eslint.configs.recommended,
  ...tseslint.configs.strictTypeChecked.map((config) => ({ ...config, files: ['**/*.ts'] })),
  {
    files: ['**/*.ts'],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      // tap runs its subtests in order, whether awaited or not.
      '@typescript-eslint/no-floating-promises': [
        'error',
        { allowForKnownSafeCalls: [{ from: 'package', package: '@tapjs/test', name: 'test' }] },
      ],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
    },
  },
  {
    files: ['**/*.js', '**/*.mjs'],
    languageOptions: { globals: { process: 'readonly', console: 'readonly', URL: 'readonly' } },
  },
  {
    files: ['src/**/*.ts'],
    rules: {
      'max-lines': ['error', { max: 250 }],
      'max-lines-per-function': ['error', { max: 50, skipBlankLines: true, skipComments: true }],
    },
  },
  ...importTable,
);
