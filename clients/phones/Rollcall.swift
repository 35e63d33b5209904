// Calls of Rollcall with Firebase's SDK: see docs/clients.md. Not compiled or run.

import CryptoKit
import FirebaseAuth
import FirebaseFunctions
import Foundation

struct Part: Encodable, Sendable {            // of a message
  var type: String                            // "text", "image", "document"
  var text: String?
  var fileId: String?
}
struct Decision: Encodable, Sendable {
  struct Payload: Encodable, Sendable { var approved: Bool; var reason: String?; var remember: String? }
  var interruptId: String
  var status = "resolved"
  var payload: Payload
}
struct RunRequest: Encodable, Sendable {      // what is nil is not sent
  var agent: String
  var message: [Part]?
  var resume: [Decision]?
  var retry: String?
  var replaces: String?
  var threadId: String?
  var runId: String?
}
struct AgentEvent: Decodable, Sendable {      // the fields that are wanted of any event
  var type: String
  var delta: String?
  var toolCallName: String?
}
struct Interrupt: Decodable, Sendable { var id: String; var message: String; var expiresAt: String }
struct Outcome: Decodable, Sendable { var type: String; var interrupts: [Interrupt]? }
struct RunResult: Decodable, Sendable {
  var threadId: String
  var turnId: String
  var runId: String
  var message: String
  var outcome: Outcome
}

let functions = Functions.functions()

func run(_ request: RunRequest, show: (String) -> Void) async throws -> RunResult? {
  var callable: Callable<RunRequest, StreamResponse<AgentEvent, RunResult>> =
    functions.httpsCallable("run_agent")
  callable.timeoutInterval = 540
  for try await response in try callable.stream(request) {
    switch response {
    case let .message(event):
      if event.type == "TEXT_MESSAGE_CONTENT", let delta = event.delta { show(delta) }
    case let .result(result):
      return result
    }
  }
  return nil
}

func talk(email: String, password: String, show: (String) -> Void,
          confirm: (String) async -> Bool) async throws {
  // sign in
  try await Auth.auth().signIn(withEmail: email, password: password)

  // ask, and show the answer as it comes
  let question = RunRequest(agent: "messaging", message: [Part(type: "text", text: "What are my priorities?")],
                            runId: UUID().uuidString)
  guard var result = try await run(question, show: show) else { return }

  // decide what it asks for
  if let interrupts = result.outcome.interrupts {
    var decisions: [Decision] = []
    for each in interrupts {
      decisions.append(Decision(interruptId: each.id, payload: .init(approved: await confirm(each.message))))
    }
    let request = RunRequest(agent: "messaging", resume: decisions, threadId: result.threadId)
    result = try await run(request, show: show) ?? result
  }

  // ask again; change the last message
  let retry = RunRequest(agent: "messaging", retry: result.turnId, threadId: result.threadId)
  result = try await run(retry, show: show) ?? result
  let changed = RunRequest(agent: "messaging", message: [Part(type: "text", text: "Only urgent ones")],
                           replaces: result.turnId, threadId: result.threadId)
  result = try await run(changed, show: show) ?? result

  // rate; `cancel_run` stops a run, with the same threadId and runId
  let about = ["threadId": result.threadId, "runId": result.runId, "rating": "up"]
  _ = try await functions.httpsCallable("rate_message").call(about)
}

func attach(_ data: Data, name: String, contentType: String) async throws -> Part {
  func call(_ name: String, _ data: [String: Any]) async throws -> [String: Any] {
    try await functions.httpsCallable(name).call(data).data as? [String: Any] ?? [:]
  }
  let sha256 = SHA256.hash(data: data).map { String(format: "%02x", $0) }.joined()
  let begun = try await call("begin_upload", ["name": name, "purpose": "attachment", "contentType": contentType,
                                              "bytes": data.count, "sha256": sha256])
  let fileId = begun["fileId"] as! String, size = begun["partBytes"] as! Int
  for part in begun["missing"] as! [Int] {
    let piece = data.subdata(in: part * size ..< min((part + 1) * size, data.count))
    _ = try await call("upload_part", ["fileId": fileId, "part": part, "content": piece.base64EncodedString()])
  }
  _ = try await call("finish_upload", ["fileId": fileId])
  return Part(type: contentType.hasPrefix("image/") ? "image" : "document", fileId: fileId)
}
