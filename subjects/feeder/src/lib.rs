//! A feeder of media streams: it plays clips and live sources through encoders
//! to endpoints and subscribers.
//!
//! The size and shape of the StreamingFeeder of the IntiSa study, as a subject
//! for tools that read contracts. Every public function says what it requires
//! and ensures, and no contract can be broken except a precondition by whoever
//! calls in. The README says which preconditions nothing can meet, and which
//! postconditions leave something out.
#![forbid(unsafe_code)]

pub mod clock;
pub mod encoder;
pub mod endpoint;
pub mod error;
pub mod feeder;
pub mod hub;
pub mod naming;
pub mod packet;
pub mod playlist;
pub mod quality;
pub mod queue;
pub mod schedule;
pub mod session;
pub mod source;

pub use clock::{Clock, ManualClock, OffsetClock};
pub use encoder::{AdaptiveEncoder, Encoder, LadderEncoder, Passthrough};
pub use endpoint::{Endpoint, Scheme};
pub use error::FeedError;
pub use feeder::{Credentials, Feeder, Role};
pub use hub::{Hub, Subscriber, Ticket};
pub use naming::{Named, StreamName};
pub use packet::{Packet, Payload};
pub use playlist::Playlist;
pub use quality::{Bitrate, Ladder, Level};
pub use queue::{Queue, Sink};
pub use schedule::{Schedule, Slot};
pub use session::{ClipSession, Phase, Reason, Session};
pub use source::{Clip, Finite, LiveSource, Seekable, Source, TestPattern};
