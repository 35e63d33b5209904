// Calls of Rollcall with Firebase's SDK: see docs/clients.md. Not compiled or run.

import 'dart:convert';
import 'dart:math';
import 'dart:typed_data';
import 'package:cloud_functions/cloud_functions.dart';
import 'package:crypto/crypto.dart';
import 'package:firebase_auth/firebase_auth.dart';

final functions = FirebaseFunctions.instance;

Future<Map?> run(Map<String, Object?> data, void Function(String) show) async {
  final runAgent = functions.httpsCallable('run_agent',
      options: HttpsCallableOptions(timeout: const Duration(minutes: 9)));
  await for (final response in runAgent.stream<Object?, Object?>(data)) {
    switch (response) {
      case Chunk(:final partialData):
        final event = partialData as Map;
        if (event['type'] == 'TEXT_MESSAGE_CONTENT') show(event['delta'] as String);
      case Result(:final result):
        return result.data as Map;
    }
  }
  return null;
}

Future<Map> call(String name, Map<String, Object?> data) async =>
    (await functions.httpsCallable(name).call<Object?>(data)).data as Map;

Future<void> talk(String email, String password, void Function(String) show,
    Future<bool> Function(String) confirm) async {
  // sign in
  await FirebaseAuth.instance.signInWithEmailAndPassword(email: email, password: password);

  // ask, and show the answer as it comes
  var result = await run({
    'agent': 'messaging',
    'message': 'What are my priorities?',
    'runId': 'm-${DateTime.now().microsecondsSinceEpoch}',
  }, show);
  if (result == null) return;
  final threadId = result['threadId'];

  // decide what it asks for
  final interrupts = (result['outcome'] as Map)['interrupts'] as List?;
  if (interrupts != null) {
    final decisions = [
      for (final each in interrupts)
        {
          'interruptId': each['id'],
          'status': 'resolved',
          'payload': {'approved': await confirm(each['message'] as String)},
        }
    ];
    result = await run({'agent': 'messaging', 'threadId': threadId, 'resume': decisions}, show) ?? result;
  }

  // ask again; change the last message
  result = await run({'agent': 'messaging', 'threadId': threadId, 'retry': result['turnId']}, show) ?? result;
  result = await run({
    'agent': 'messaging', 'threadId': threadId, 'replaces': result['turnId'], 'message': 'Only urgent ones',
  }, show) ?? result;

  // rate; cancel_run stops a run, with the same threadId and runId
  await call('rate_message', {'threadId': threadId, 'runId': result['runId'], 'rating': 'up'});
}

Future<Map<String, Object?>> attach(Uint8List bytes, String name, String contentType) async {
  final begun = await call('begin_upload', {
    'name': name, 'purpose': 'attachment', 'contentType': contentType,
    'bytes': bytes.length, 'sha256': sha256.convert(bytes).toString(),
  });
  final fileId = begun['fileId'], size = (begun['partBytes'] as num).toInt();
  for (final part in (begun['missing'] as List).map((each) => (each as num).toInt())) {
    final piece = bytes.sublist(part * size, min((part + 1) * size, bytes.length));
    await call('upload_part', {'fileId': fileId, 'part': part, 'content': base64Encode(piece)});
  }
  await call('finish_upload', {'fileId': fileId});
  return {'type': contentType.startsWith('image/') ? 'image' : 'document', 'fileId': fileId};
}

Future<Map?> askAboutPhoto(Uint8List bytes, void Function(String) show) async => run({
  'agent': 'messaging',
  'message': [{'type': 'text', 'text': 'What is this?'}, await attach(bytes, 'photo.jpg', 'image/jpeg')],
}, show);
