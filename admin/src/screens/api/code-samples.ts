import { type ApiCall, addressIn, curlOf, KEY } from '../../base/api-call.ts';

/** Languages of the examples. */
export const LANGUAGES = { curl: 'curl', javascript: 'JavaScript', python: 'Python', php: 'PHP' } as const;
export type CodeLanguage = keyof typeof LANGUAGES;

/** A program that sends a request, with nothing beyond the language's standard library. */
export function sampleOf(language: CodeLanguage, origin: string, call: ApiCall): string {
  return SAMPLES[language](origin, call);
}

const SAMPLES: Readonly<Record<CodeLanguage, (origin: string, call: ApiCall) => string>> = {
  curl: curlOf,

  javascript: (origin, call) =>
    [
      `const reply = await fetch(${quoted(origin + addressIn(call))}, {`,
      `  method: ${quoted(call.verb)},`,
      '  headers: {',
      `    Authorization: ${quoted(`token ${KEY}`)},`,
      ...(call.body === '' ? [] : [`    'Content-Type': 'application/json',`]),
      '  },',
      ...(call.body === '' ? [] : [`  body: JSON.stringify(${indented(call.body, '  ')}),`]),
      '});',
      'if (!reply.ok) throw new Error(await reply.text());',
      'console.log(await reply.json());',
    ].join('\n'),

  python: (origin, call) =>
    [
      'import json',
      'import urllib.request',
      '',
      'request = urllib.request.Request(',
      `    ${double(origin + addressIn(call))},`,
      `    method=${double(call.verb)},`,
      '    headers={',
      `        "Authorization": ${double(`token ${KEY}`)},`,
      ...(call.body === '' ? [] : ['        "Content-Type": "application/json",']),
      '    },',
      ...(call.body === '' ? [] : [`    data=json.dumps(${python(parsed(call.body), '    ')}).encode(),`]),
      ')',
      'with urllib.request.urlopen(request) as reply:',
      '    print(json.load(reply))',
    ].join('\n'),

  php: (origin, call) =>
    [
      '<?php',
      `$curl = curl_init(${single(origin + addressIn(call))});`,
      'curl_setopt_array($curl, [',
      `    CURLOPT_CUSTOMREQUEST => ${single(call.verb)},`,
      '    CURLOPT_RETURNTRANSFER => true,',
      '    CURLOPT_FAILONERROR => true,',
      '    CURLOPT_HTTPHEADER => [',
      `        ${single(`Authorization: token ${KEY}`)},`,
      ...(call.body === '' ? [] : [`        'Content-Type: application/json',`]),
      '    ],',
      ...(call.body === ''
        ? []
        : [`    CURLOPT_POSTFIELDS => json_encode(${php(parsed(call.body), '    ')}),`]),
      ']);',
      'print_r(json_decode(curl_exec($curl), true));',
    ].join('\n'),
};

/** A body that is not JSON is a text, so that the example shows it as it is. */
function parsed(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return body;
  }
}

function double(text: string): string {
  return JSON.stringify(text);
}

function single(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

function quoted(text: string): string {
  return single(text).replaceAll('\n', '\\n');
}

function indented(body: string, by: string): string {
  return JSON.stringify(parsed(body), null, 2).replaceAll('\n', `\n${by}`);
}

/** A value as Python writes it. */
function python(value: unknown, by: string): string {
  if (value === null) return 'None';
  if (value === true) return 'True';
  if (value === false) return 'False';
  const inner = `${by}    `;
  if (Array.isArray(value)) {
    return enclosed(
      '[',
      value.map((one) => python(one, inner)),
      ']',
      by,
    );
  }
  if (typeof value === 'object') {
    const entries = Object.entries(value).map(([name, one]) => `${double(name)}: ${python(one, inner)}`);
    return enclosed('{', entries, '}', by);
  }
  return JSON.stringify(value);
}

/** A value as PHP writes it. */
function php(value: unknown, by: string): string {
  const inner = `${by}    `;
  if (Array.isArray(value)) {
    return enclosed(
      '[',
      value.map((one) => php(one, inner)),
      ']',
      by,
    );
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(([name, one]) => `${single(name)} => ${php(one, inner)}`);
    return entries.length === 0 ? '(object) []' : enclosed('[', entries, ']', by);
  }
  return typeof value === 'string' ? single(value) : JSON.stringify(value);
}

function enclosed(open: string, parts: readonly string[], close: string, by: string): string {
  if (parts.length === 0) return open + close;
  return `${open}\n${parts.map((part) => `${by}    ${part},`).join('\n')}\n${by}${close}`;
}
