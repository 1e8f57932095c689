import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { canonicalUrl, parseParameters } from './url.ts';

test('addresses are canonical: version prefix, trailing slash, absolute form', () => {
  const cases: readonly (readonly [string | undefined, string])[] = [
    ['/api/resource/X', '/api/resource/X'],
    ['/api/resource/X/', '/api/resource/X'],
    ['/api/resource/X//', '/api/resource/X'],
    ['/api/resource/X/?a=/', '/api/resource/X?a=/'],
    ['/api/resource/X/a/b/', '/api/resource/X/a/b'],
    ['/api/resource/X/a%2F', '/api/resource/X/a%2F'],
    ['/api/v1/resource/X', '/api/resource/X'],
    ['/api/resource/X/50%%20off', '/api/resource/X/50%25%20off'],
    ['/api/v1/resource/X/5%/?a=%', '/api/resource/X/5%25?a=%'],
    ['/api/resource/X/%zz%ff', '/api/resource/X/%25zz%ff'],
    ['/files/5%', '/files/5%'],
    ['/api/v1/method/ping/', '/api/method/ping'],
    ['/api/v1', '/api/v1'],
    ['/files/a/', '/files/a/'],
    ['/', '/'],
    ['http://other.example/api/v1/method/ping/', '/api/method/ping'],
    ['http://other.example', '/'],
    ['http://other.example?a=/api/method/ping', '/?a=/api/method/ping'],
    ['https://user:pass@[::1]:80/api/method/ping', '/api/method/ping'],
    ['ftp://other.example/api/method/ping', '/'],
    ['*', '/'],
    ['/api/', '/api'],
    ['/api///', '/api'],
    [undefined, '/'],
  ];
  for (const [given, expected] of cases) assert.equal(canonicalUrl(given), expected, given ?? 'undefined');
});

test('parameters are read leniently', () => {
  const cases: readonly (readonly [string, Record<string, string>])[] = [
    ['', {}],
    ['a=1&b=two', { a: '1', b: 'two' }],
    ['a=1&a=1', { a: '1' }],
    ['a=x+y%20z%2B', { a: 'x y z+' }],
    ['a', { a: '' }],
    ['a=', { a: '' }],
    ['=b', { '': 'b' }],
    ['&&a=1&', { a: '1' }],
    ['a=b=c', { a: 'b=c' }],
    ['_=123&a=1', { a: '1' }],
    ['q=50%%20off', { q: '50% off' }],
    ['q=%ff&r=%zz&s=%', { q: '%ff', r: '%zz', s: '%' }],
    ['q=%C3%A9%ff', { q: '%C3%A9%ff' }],
    ['f=[["a","=","b"]]', { f: '[["a","=","b"]]' }],
    ['n%61me=x', { name: 'x' }],
  ];
  for (const [text, expected] of cases) {
    assert.deepEqual({ ...parseParameters(text) }, expected, text);
  }
});

test('a parameter named __proto__ is only a parameter', () => {
  const parameters = parseParameters('__proto__=1&constructor=2');
  assert.equal(Object.getPrototypeOf(parameters), null);
  assert.deepEqual(Object.keys(parameters), ['__proto__', 'constructor']);
});

test('parsing never throws, and reads what URLSearchParams writes', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void parseParameters(text)));
  const names = fc.string({ minLength: 1 }).filter((name) => name !== '_');
  fc.assert(
    fc.property(fc.dictionary(names, fc.string({ unit: 'grapheme' })), (wanted) => {
      const text = new URLSearchParams(wanted).toString();
      assert.deepEqual({ ...parseParameters(text) }, { ...wanted });
    }),
  );
});
