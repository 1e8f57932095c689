import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseFilesPlace } from './files-place.ts';

test('paths and file: URLs are places on disk', () => {
  assert.deepEqual(parseFilesPlace('stored', '/srv/site'), { kind: 'disk', root: '/srv/site/stored' });
  assert.deepEqual(parseFilesPlace('/stored', '/srv'), { kind: 'disk', root: '/stored' });
  assert.deepEqual(parseFilesPlace('file:///stored', '/srv'), { kind: 'disk', root: '/stored' });
});

test('a bucket has its endpoint and credentials', () => {
  const none = { endpoint: null, region: null, pathStyle: false, credentials: null, timeout: null };
  assert.deepEqual(parseFilesPlace('s3://bucket', '/'), {
    kind: 's3',
    bucket: 'bucket',
    prefix: '',
    ...none,
  });
  assert.deepEqual(parseFilesPlace('s3://my.bucket/a/b/?region=eu-central-1', '/'), {
    kind: 's3',
    bucket: 'my.bucket',
    prefix: 'a/b/',
    ...none,
    region: 'eu-central-1',
  });
  const url = 's3://test%3Atester:a%2Fb%40c@bucket/site?endpoint=https://s3.example.com:9000';
  assert.deepEqual(parseFilesPlace(url, '/'), {
    kind: 's3',
    bucket: 'bucket',
    prefix: 'site/',
    endpoint: 'https://s3.example.com:9000',
    region: null,
    pathStyle: true,
    credentials: { key: 'test:tester', secret: 'a/b@c' },
    timeout: null,
  });
  const hosted = parseFilesPlace('s3://bucket?endpoint=https://s3.example.com&path-style=0', '/');
  assert.equal(hosted.kind === 's3' && hosted.pathStyle, false);
  const patient = parseFilesPlace('s3://bucket?timeout=2.5', '/');
  assert.equal(patient.kind === 's3' && patient.timeout, 2_500);
});

test('an invalid place is refused with a reason', () => {
  const wrong: [string, RegExp][] = [
    ['s3://', /bucket/],
    ['s3://Bucket_', /bucket/],
    ['s3://bucket:9000', /bucket/],
    ['s3://bucket/a//b', /prefix/],
    ['s3://bucket/a%20b', /prefix/],
    ['s3://bucket?endpoint=ftp://x', /endpoint/],
    ['s3://bucket?endpoint=x', /endpoint/],
    ['s3://bucket?regoin=x', /regoin/],
    ['s3://bucket?path-style=yes', /path-style/],
    ['s3://bucket?timeout=0', /timeout/],
    ['s3://bucket?timeout=1h', /timeout/],
    ['s3://key@bucket', /secret/],
    ['gs://bucket', /s3:\/\//],
  ];
  for (const [text, message] of wrong) assert.throws(() => parseFilesPlace(text, '/'), message, text);
});
