/** Writes the table of docs/configuration.md from the declarations: `npm run docs`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { NamedSetting } from '../src/config/setting.ts';
import { SETTINGS } from '../src/config/settings.ts';

const PAGE = fileURLToPath(new URL('../docs/configuration.md', import.meta.url));
const BEGIN = '<!-- settings: written by `npm run docs` from src/config/settings.ts -->';
const END = '<!-- end of settings -->';

/** The page as it is, and as the declarations want it. */
export function configurationPage(): { readonly found: string; readonly wanted: string } {
  const found = readFileSync(PAGE, 'utf8');
  const [before, rest, ...more] = found.split(BEGIN);
  const [, after, ...others] = rest?.split(END) ?? [];
  if (before === undefined || after === undefined || more.length + others.length > 0)
    throw new Error(`${PAGE} must contain ${BEGIN} and ${END} once`);
  return { found, wanted: `${before}${BEGIN}\n\n${table(SETTINGS)}\n\n${END}${after}` };
}

function table(settings: readonly NamedSetting[]): string {
  const rows = settings.map((setting) => [
    code(setting.path),
    [setting.variable, ...(setting.envAlias ? [setting.envAlias] : [])].map(code).join(', '),
    flagOf(setting),
    defaultOf(setting),
    setting.live ? code(setting.live.field) : '',
    prose(setting.neverEmpty ? `${setting.help}; must not be empty` : setting.help),
  ]);
  const head = ['setting', 'environment', 'flag', 'default', 'System Settings', 'meaning'];
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function flagOf({ flag, offFlag }: NamedSetting): string {
  const name = flag ?? offFlag?.name;
  return name === undefined ? '' : code(`--${name}`);
}

function defaultOf({ unset, default: value }: NamedSetting): string {
  if (unset !== undefined) return prose(unset);
  return value === null ? 'none' : code(JSON.stringify(value));
}

function code(text: string): string {
  return `\`${text}\``;
}

function prose(text: string): string {
  return text.replace(/[<|*]/g, '\\$&');
}

if (import.meta.main) writeFileSync(PAGE, configurationPage().wanted);
