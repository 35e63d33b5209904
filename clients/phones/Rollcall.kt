// Calls of Rollcall with Firebase's SDK: see docs/clients.md. Not compiled or run.

import android.util.Base64
import com.google.firebase.Firebase
import com.google.firebase.auth.auth
import com.google.firebase.functions.StreamResponse
import com.google.firebase.functions.functions
import java.security.MessageDigest
import java.util.UUID
import java.util.concurrent.TimeUnit
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.flow.buffer
import kotlinx.coroutines.reactive.asFlow
import kotlinx.coroutines.tasks.await

typealias Json = Map<String, Any?>

@Suppress("UNCHECKED_CAST")
suspend fun run(data: Json, show: (String) -> Unit): Json? {
  var result: Json? = null
  val runAgent = Firebase.functions.getHttpsCallable("run_agent").withTimeout(540, TimeUnit.SECONDS)
  // Without the buffer, events that wait for a slow screen are lost when the result comes.
  runAgent.stream(data).asFlow().buffer(Channel.UNLIMITED).collect { response ->
    if (response is StreamResponse.Message) {
      val event = response.message.data as Json
      if (event["type"] == "TEXT_MESSAGE_CONTENT") show(event["delta"] as String)
    } else if (response is StreamResponse.Result) {
      result = response.result.data as Json
    }
  }
  return result
}

suspend fun call(name: String, data: Json): Any? =
  Firebase.functions.getHttpsCallable(name).call(data).await().data

@Suppress("UNCHECKED_CAST")
suspend fun talk(email: String, password: String, show: (String) -> Unit, confirm: suspend (String) -> Boolean) {
  // sign in
  Firebase.auth.signInWithEmailAndPassword(email, password).await()

  // ask, and show the answer as it comes
  var result = run(mapOf("agent" to "messaging", "message" to "What are my priorities?",
                         "runId" to UUID.randomUUID().toString()), show) ?: return
  val threadId = result["threadId"] as String

  // decide what it asks for
  val interrupts = (result["outcome"] as Json)["interrupts"] as List<Json>?
  if (interrupts != null) {
    val decisions = interrupts.map {
      mapOf("interruptId" to it["id"], "status" to "resolved",
            "payload" to mapOf("approved" to confirm(it["message"] as String)))
    }
    result = run(mapOf("agent" to "messaging", "threadId" to threadId, "resume" to decisions), show) ?: result
  }

  // ask again; change the last message
  result = run(mapOf("agent" to "messaging", "threadId" to threadId, "retry" to result["turnId"]), show) ?: result
  result = run(mapOf("agent" to "messaging", "threadId" to threadId, "replaces" to result["turnId"],
                     "message" to "Only urgent ones"), show) ?: result

  // rate; cancel_run stops a run, with the same threadId and runId
  call("rate_message", mapOf("threadId" to threadId, "runId" to result["runId"], "rating" to "up"))
}

@Suppress("UNCHECKED_CAST")
suspend fun attach(bytes: ByteArray, name: String, contentType: String): Json {
  val sha256 = MessageDigest.getInstance("SHA-256").digest(bytes).joinToString("") { "%02x".format(it) }
  val begun = call("begin_upload", mapOf("name" to name, "purpose" to "attachment",
    "contentType" to contentType, "bytes" to bytes.size, "sha256" to sha256)) as Json
  val fileId = begun["fileId"] as String
  val size = (begun["partBytes"] as Number).toInt()
  for (part in (begun["missing"] as List<Number>).map { it.toInt() }) {
    val piece = bytes.copyOfRange(part * size, minOf((part + 1) * size, bytes.size))
    val content = Base64.encodeToString(piece, Base64.NO_WRAP)
    call("upload_part", mapOf("fileId" to fileId, "part" to part, "content" to content))
  }
  call("finish_upload", mapOf("fileId" to fileId))
  return mapOf("type" to if (contentType.startsWith("image/")) "image" else "document", "fileId" to fileId)
}

suspend fun askAboutPhoto(bytes: ByteArray, show: (String) -> Unit) = run(mapOf("agent" to "messaging",
  "message" to listOf(mapOf("type" to "text", "text" to "What is this?"), attach(bytes, "photo.jpg", "image/jpeg"))),
  show)
