//! Null encryption for quinn, by its public traits.

use crate::tls::{self, Handshake};
use bytes::BytesMut;
use quinn_proto::crypto::{
    AeadKey, ClientConfig, CryptoError, ExportKeyingMaterialError, HandshakeTokenKey, HeaderKey,
    HmacKey, KeyPair, Keys, PacketKey, ServerConfig, Session, UnsupportedVersion,
};
use quinn_proto::transport_parameters::TransportParameters;
use quinn_proto::{ConnectError, ConnectionId, Side, TransportError};
use std::any::Any;
use std::sync::Arc;

/// All keys and configurations.
pub(super) struct Null;

fn pair() -> KeyPair<Box<dyn PacketKey>> {
    KeyPair { local: Box::new(Null), remote: Box::new(Null) }
}

fn keys() -> Keys {
    Keys { header: KeyPair { local: Box::new(Null), remote: Box::new(Null) }, packet: pair() }
}

impl HeaderKey for Null {
    fn decrypt(&self, _: usize, _: &mut [u8]) {}
    fn encrypt(&self, _: usize, _: &mut [u8]) {}
    fn sample_size(&self) -> usize {
        tls::SAMPLE
    }
}

impl PacketKey for Null {
    fn encrypt(&self, _: u64, _: &mut [u8], _: usize) {}
    fn decrypt(&self, _: u64, _: &[u8], payload: &mut BytesMut) -> Result<(), CryptoError> {
        payload.truncate(payload.len().checked_sub(tls::TAG).ok_or(CryptoError)?);
        Ok(())
    }
    fn tag_len(&self) -> usize {
        tls::TAG
    }
    fn confidentiality_limit(&self) -> u64 {
        u64::MAX
    }
    fn integrity_limit(&self) -> u64 {
        u64::MAX
    }
}

impl HmacKey for Null {
    fn sign(&self, data: &[u8], signature: &mut [u8]) {
        tls::sign(data, signature);
    }
    fn signature_len(&self) -> usize {
        tls::SIGNATURE
    }
    fn verify(&self, data: &[u8], signature: &[u8]) -> Result<(), CryptoError> {
        tls::signed(data, signature).then_some(()).ok_or(CryptoError)
    }
}

impl HandshakeTokenKey for Null {
    fn aead_from_hkdf(&self, _: &[u8]) -> Box<dyn AeadKey> {
        Box::new(Null)
    }
}

impl AeadKey for Null {
    fn seal(&self, data: &mut Vec<u8>, _: &[u8]) -> Result<(), CryptoError> {
        data.extend([0; tls::TAG]);
        Ok(())
    }
    fn open<'a>(&self, data: &'a mut [u8], _: &[u8]) -> Result<&'a mut [u8], CryptoError> {
        let length = data.len().checked_sub(tls::TAG).ok_or(CryptoError)?;
        Ok(&mut data[..length])
    }
}

impl ClientConfig for Null {
    fn start_session(
        self: Arc<Self>,
        _: u32,
        _: &str,
        params: &TransportParameters,
    ) -> Result<Box<dyn Session>, ConnectError> {
        Ok(Box::new(NullSession::new(Side::Client, params)))
    }
}

impl ServerConfig for Null {
    fn initial_keys(&self, _: u32, _: &ConnectionId) -> Result<Keys, UnsupportedVersion> {
        Ok(keys())
    }
    fn retry_tag(&self, _: u32, _: &ConnectionId, _: &[u8]) -> [u8; 16] {
        [0; 16]
    }
    fn start_session(self: Arc<Self>, _: u32, params: &TransportParameters) -> Box<dyn Session> {
        Box::new(NullSession::new(Side::Server, params))
    }
}

/// One side of a handshake.
struct NullSession {
    side: Side,
    handshake: Handshake,
    peer: Option<TransportParameters>,
}

impl NullSession {
    fn new(side: Side, params: &TransportParameters) -> NullSession {
        let mut own = Vec::new();
        params.write(&mut own);
        NullSession { side, handshake: Handshake::new(side == Side::Server, own), peer: None }
    }
}

impl Session for NullSession {
    fn initial_keys(&self, _: &ConnectionId, _: Side) -> Keys {
        keys()
    }
    fn handshake_data(&self) -> Option<Box<dyn Any>> {
        None
    }
    fn peer_identity(&self) -> Option<Box<dyn Any>> {
        None
    }
    fn early_crypto(&self) -> Option<(Box<dyn HeaderKey>, Box<dyn PacketKey>)> {
        None
    }
    fn early_data_accepted(&self) -> Option<bool> {
        None
    }
    fn is_handshaking(&self) -> bool {
        !self.handshake.is_done()
    }
    fn read_handshake(&mut self, bytes: &[u8]) -> Result<bool, TransportError> {
        let Some(params) = self.handshake.read(bytes) else { return Ok(false) };
        self.peer = Some(TransportParameters::read(self.side, &mut &params[..])?);
        Ok(true)
    }
    fn transport_parameters(&self) -> Result<Option<TransportParameters>, TransportError> {
        Ok(self.peer)
    }
    fn write_handshake(&mut self, buffer: &mut Vec<u8>) -> Option<Keys> {
        self.handshake.write(buffer).then(keys)
    }
    fn next_1rtt_keys(&mut self) -> Option<KeyPair<Box<dyn PacketKey>>> {
        Some(pair())
    }
    fn is_valid_retry(&self, _: &ConnectionId, _: &[u8], _: &[u8]) -> bool {
        true
    }
    fn export_keying_material(
        &self,
        output: &mut [u8],
        _: &[u8],
        _: &[u8],
    ) -> Result<(), ExportKeyingMaterialError> {
        output.fill(0);
        Ok(())
    }
}
